-- What people find, hear of and spend: search, inbox, push, usage, budgets.

-- Several people can be told about the same chat.
ALTER TABLE inbox DROP CONSTRAINT inbox_chat_id_kind_key;
CREATE UNIQUE INDEX inbox_once ON inbox (user_id, chat_id, kind);
CREATE INDEX inbox_unpushed ON inbox (created_at) WHERE pushed_at IS NULL;

-- The words of messages. Filled outside of the chats' commits; `text` is what snippets are cut from.
CREATE TABLE search_documents (
    chat_id uuid NOT NULL REFERENCES chats ON DELETE CASCADE,
    number integer NOT NULL,
    text text NOT NULL,
    document tsvector NOT NULL,
    PRIMARY KEY (chat_id, number)
);
CREATE INDEX search_documents_words ON search_documents USING gin (document);

-- Up to which revision a chat's messages are in search_documents.
CREATE TABLE search_progress (
    chat_id uuid PRIMARY KEY REFERENCES chats ON DELETE CASCADE,
    revision bigint NOT NULL
);

CREATE TABLE push_subscriptions (
    id uuid PRIMARY KEY DEFAULT gen_random_uuid(),
    user_id uuid NOT NULL REFERENCES users ON DELETE CASCADE,
    endpoint text NOT NULL,
    keys text NOT NULL,
    created_at timestamptz NOT NULL DEFAULT now(),
    UNIQUE (user_id, endpoint)
);

-- Facts of the whole deployment, such as the key pair of Web Push, encrypted.
CREATE TABLE deployment_secrets (
    name text PRIMARY KEY,
    secret bytea NOT NULL
);

-- Answers come roughly in the order of time, so a block range is enough to find those of a month.
CREATE INDEX messages_by_time ON messages USING brin (created_at);

-- What a person or an organisation spent in a month, and what replicas have set aside of it.
CREATE TABLE budgets (
    scope text NOT NULL CHECK (scope IN ('user', 'organisation')),
    subject_id uuid NOT NULL,
    month date NOT NULL,
    spent bigint NOT NULL DEFAULT 0,
    PRIMARY KEY (scope, subject_id, month)
);
CREATE TABLE budget_slices (
    replica_id uuid NOT NULL,
    scope text NOT NULL,
    subject_id uuid NOT NULL,
    month date NOT NULL,
    amount bigint NOT NULL,
    PRIMARY KEY (replica_id, scope, subject_id, month)
);
