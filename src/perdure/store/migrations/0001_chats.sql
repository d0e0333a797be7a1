-- Chats as rows: execution state, cards, messages, queue; the replicas that drive them, what is in flight, what was started.

CREATE FUNCTION expect(ok boolean, what text) RETURNS void
    LANGUAGE plpgsql AS $$
BEGIN
    IF NOT coalesce(ok, false) THEN
        RAISE EXCEPTION 'expected: %', what USING ERRCODE = 'PD001';
    END IF;
END
$$;

-- Words are checked by domains: a domain looks when the word is written, a table's CHECK at every update of the row.
CREATE DOMAIN chat_status AS text
    CHECK (VALUE IN ('waiting', 'running', 'interrupting', 'requires_action', 'error'));
CREATE DOMAIN title_source AS text CHECK (VALUE IN ('fallback', 'generated', 'named'));
CREATE DOMAIN pin_order AS integer CHECK (VALUE >= 0);
CREATE DOMAIN message_role AS text CHECK (VALUE IN ('system', 'user', 'assistant', 'tool'));
CREATE DOMAIN message_visibility AS text CHECK (VALUE IN ('both', 'user', 'model'));
CREATE DOMAIN inbox_kind AS text CHECK (VALUE IN ('finished', 'failed', 'needs_you', 'shared', 'digest'));

CREATE TABLE organisations (
    id uuid PRIMARY KEY DEFAULT gen_random_uuid(),
    name text NOT NULL,
    created_at timestamptz NOT NULL DEFAULT now()
);

CREATE TABLE users (
    id uuid PRIMARY KEY DEFAULT gen_random_uuid(),
    organisation_id uuid NOT NULL REFERENCES organisations,
    email text NOT NULL,
    name text NOT NULL DEFAULT '',
    role text NOT NULL DEFAULT 'member' CHECK (role IN ('owner', 'admin', 'member', 'auditor')),
    created_at timestamptz NOT NULL DEFAULT now()
);
CREATE UNIQUE INDEX users_email ON users (lower(email));

-- Execution state. Only the machine writes here. No foreign key to replicas: a chat outlives its drivers.
CREATE TABLE chats (
    id uuid PRIMARY KEY,
    status chat_status NOT NULL,
    archived boolean NOT NULL DEFAULT false,
    worker_id uuid,
    runner_id uuid,
    last_error text,
    retry_state text,
    action text,
    action_deadline_at timestamptz,
    compaction_requested_at timestamptz,
    budget_declined boolean NOT NULL DEFAULT false,
    turn integer NOT NULL DEFAULT 0,
    continuing boolean NOT NULL DEFAULT false,
    newest_is_user boolean NOT NULL DEFAULT false,
    last_assistant integer NOT NULL DEFAULT 0,
    open_calls text NOT NULL DEFAULT '[]',
    -- The queue's order; a steer message is its number negated. Contents are in queued_messages.
    queue integer[] NOT NULL DEFAULT '{}',
    next_message integer NOT NULL DEFAULT 1,
    next_queued integer NOT NULL DEFAULT 1,
    file_count integer NOT NULL DEFAULT 0,
    budget_limit bigint,
    budget_spent bigint NOT NULL DEFAULT 0,
    budget_reserved bigint NOT NULL DEFAULT 0,
    snapshot_version bigint NOT NULL,
    history_version bigint NOT NULL DEFAULT 0,
    queue_version bigint NOT NULL DEFAULT 0,
    retry_version bigint NOT NULL DEFAULT 0,
    generation_attempt integer NOT NULL DEFAULT 0,
    change_id uuid,
    -- The newest changes that left their name on no message: an answer that got lost can still be found out.
    recent_changes uuid[] NOT NULL DEFAULT '{}',
    updated_at timestamptz NOT NULL DEFAULT now(),
    -- One of the twelve states, owned or not. One constraint, because each is prepared anew at every update.
    CONSTRAINT chats_valid_state CHECK (
        (NOT archived OR status = 'waiting' OR status = 'error')
        AND (status <> 'waiting' OR queue = '{}')
        AND (status = 'requires_action') = (action IS NOT NULL)
        AND (worker_id IS NULL) = (runner_id IS NULL)
        AND history_version <= snapshot_version
    )
) WITH (fillfactor = 50, autovacuum_vacuum_scale_factor = 0.02);
CREATE INDEX chats_runnable ON chats (worker_id) WHERE status IN ('running', 'interrupting');
CREATE INDEX chats_due ON chats (action_deadline_at) WHERE action_deadline_at IS NOT NULL;
CREATE INDEX chats_parents ON chats (id) WHERE status = 'requires_action' AND action LIKE '{"kind":"children"%';

-- What lists and headers show. It never decides an arrow.
CREATE TABLE chat_cards (
    id uuid PRIMARY KEY REFERENCES chats ON DELETE CASCADE,
    organisation_id uuid NOT NULL REFERENCES organisations,
    owner_id uuid NOT NULL REFERENCES users,
    parent_id uuid REFERENCES chats ON DELETE CASCADE,
    root_id uuid REFERENCES chats ON DELETE CASCADE,
    agent_type text,
    title text NOT NULL,
    title_source title_source NOT NULL DEFAULT 'fallback',
    labels jsonb NOT NULL DEFAULT '{}',
    source text NOT NULL DEFAULT 'api',
    model text,
    effort text,
    plan_mode boolean NOT NULL DEFAULT false,
    pin pin_order NOT NULL DEFAULT 0,
    workspace_id uuid,
    client_tools text NOT NULL DEFAULT '[]',
    client_tool_deadline interval,
    settings text NOT NULL DEFAULT '{}',
    turn_label text,
    summary text,
    summarised_turns integer NOT NULL DEFAULT 0,
    turns integer NOT NULL DEFAULT 0,
    cost bigint NOT NULL DEFAULT 0,
    unpriced_calls integer NOT NULL DEFAULT 0,
    context_tokens integer,
    context_limit integer,
    metadata_version bigint NOT NULL DEFAULT 1,
    created_at timestamptz NOT NULL DEFAULT now(),
    updated_at timestamptz NOT NULL DEFAULT now()
) WITH (fillfactor = 80);
CREATE INDEX chat_cards_listed ON chat_cards (owner_id, updated_at DESC) WHERE parent_id IS NULL;
CREATE INDEX chat_cards_family ON chat_cards (root_id) WHERE root_id IS NOT NULL;
CREATE INDEX chat_cards_children ON chat_cards (parent_id) WHERE parent_id IS NOT NULL;

-- The history. Content is text, byte for byte what was encoded.
-- Messages, queue and inbox are written only where the chat's own row was, so that a foreign key would look again for
-- a row that the same statement has just written; chats_forgotten cleans up after a chat instead.
CREATE TABLE messages (
    chat_id uuid NOT NULL,
    number integer NOT NULL,
    revision bigint NOT NULL,
    role message_role NOT NULL,
    visibility message_visibility NOT NULL,
    kind text NOT NULL,
    parts text NOT NULL,
    created_by uuid,
    model text,
    effort text,
    -- Usage, cost, finish reason and whatever else only an answer has: one JSON object, or null.
    answer text,
    client_id text,
    queued_as integer,
    covers integer,
    change_id uuid,
    created_at timestamptz NOT NULL DEFAULT now(),
    -- The snapshot whose edit hid this row, or null while it is live.
    hidden_in bigint,
    PRIMARY KEY (chat_id, number)
);
CREATE INDEX messages_by_revision ON messages (chat_id, revision, number);
CREATE INDEX messages_boundaries ON messages (chat_id, number) WHERE kind = 'boundary';

-- Contents of queued messages. A row that left the queue without being promoted stays, marked, until it is purged:
-- a sender whose answer got lost can still see that its message had arrived.
CREATE TABLE queued_messages (
    chat_id uuid NOT NULL,
    number integer NOT NULL,
    parts text NOT NULL,
    created_by uuid NOT NULL,
    model text,
    effort text,
    client_id text,
    change_id uuid,
    created_at timestamptz NOT NULL DEFAULT now(),
    removed_in bigint,
    PRIMARY KEY (chat_id, number)
);

CREATE TABLE replicas (
    id uuid PRIMARY KEY,
    address text,
    version text NOT NULL,
    capacity integer NOT NULL DEFAULT 0,
    started_at timestamptz NOT NULL DEFAULT now(),
    seen_at timestamptz NOT NULL DEFAULT now()
) WITH (fillfactor = 50);

-- Pieces of answers in flight. Unlogged, without foreign keys: it may be empty at any time.
CREATE UNLOGGED TABLE segments (
    chat_id uuid NOT NULL,
    history_version bigint NOT NULL,
    attempt integer NOT NULL,
    seq_from integer NOT NULL,
    seq_to integer NOT NULL,
    content text NOT NULL,
    created_at timestamptz NOT NULL DEFAULT now(),
    PRIMARY KEY (chat_id, history_version, attempt, seq_from)
);

-- What is known about tool calls in flight. The key is ours, never the provider's call id.
CREATE TABLE journal (
    chat_id uuid NOT NULL REFERENCES chats ON DELETE CASCADE,
    message integer NOT NULL,
    index integer NOT NULL,
    run integer NOT NULL,
    tool text NOT NULL,
    effect text NOT NULL CHECK (effect IN ('keyed', 'once')),
    state text NOT NULL DEFAULT 'started' CHECK (state IN ('started', 'finished', 'closed')),
    runner_id uuid NOT NULL,
    incarnation text,
    result text,
    is_error boolean NOT NULL DEFAULT false,
    started_at timestamptz NOT NULL DEFAULT now(),
    finished_at timestamptz,
    quiet_at timestamptz,
    PRIMARY KEY (chat_id, message, index, run)
);

-- First answers to requests that carried an Idempotency-Key.
CREATE TABLE idempotency_keys (
    caller uuid NOT NULL,
    route text NOT NULL,
    key text NOT NULL,
    request_hash bytea NOT NULL,
    answer text NOT NULL,
    created_at timestamptz NOT NULL DEFAULT now(),
    PRIMARY KEY (caller, route, key)
);
CREATE INDEX idempotency_keys_age ON idempotency_keys (created_at);

CREATE TABLE files (
    id uuid PRIMARY KEY,
    organisation_id uuid NOT NULL REFERENCES organisations,
    owner_id uuid NOT NULL REFERENCES users,
    name text NOT NULL CHECK (octet_length(name) <= 255),
    media_type text NOT NULL,
    size integer NOT NULL CHECK (size <= 10485760),
    content bytea NOT NULL,
    created_at timestamptz NOT NULL DEFAULT now()
);
ALTER TABLE files ALTER COLUMN content SET STORAGE EXTERNAL;

CREATE TABLE file_links (
    chat_id uuid NOT NULL REFERENCES chats ON DELETE CASCADE,
    file_id uuid NOT NULL REFERENCES files,
    created_at timestamptz NOT NULL DEFAULT now(),
    PRIMARY KEY (chat_id, file_id)
);
CREATE INDEX file_links_by_file ON file_links (file_id);

-- What people are told: written by the change that causes it.
CREATE TABLE inbox (
    id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    user_id uuid NOT NULL,
    chat_id uuid,
    kind inbox_kind NOT NULL,
    title text NOT NULL DEFAULT '',
    text text NOT NULL DEFAULT '',
    snapshot_version bigint,
    created_at timestamptz NOT NULL DEFAULT now(),
    read_at timestamptz,
    pushed_at timestamptz,
    -- The newest of each kind is enough: a chat with many turns does not fill the inbox.
    UNIQUE (chat_id, kind)
) WITH (fillfactor = 80);
-- Neither names created_at, which every turn moves: the update stays within its page.
CREATE INDEX inbox_by_user ON inbox (user_id);
CREATE INDEX inbox_unread ON inbox (user_id) WHERE read_at IS NULL;

CREATE FUNCTION forget_chats() RETURNS trigger
    LANGUAGE plpgsql AS $$
BEGIN
    DELETE FROM messages WHERE chat_id IN (SELECT id FROM forgotten);
    DELETE FROM queued_messages WHERE chat_id IN (SELECT id FROM forgotten);
    DELETE FROM inbox WHERE chat_id IN (SELECT id FROM forgotten);
    RETURN NULL;
END
$$;
CREATE TRIGGER chats_forgotten AFTER DELETE ON chats
    REFERENCING OLD TABLE AS forgotten FOR EACH STATEMENT EXECUTE FUNCTION forget_chats();

CREATE FUNCTION forget_users() RETURNS trigger
    LANGUAGE plpgsql AS $$
BEGIN
    DELETE FROM inbox WHERE user_id IN (SELECT id FROM forgotten);
    RETURN NULL;
END
$$;
CREATE TRIGGER users_forgotten AFTER DELETE ON users
    REFERENCING OLD TABLE AS forgotten FOR EACH STATEMENT EXECUTE FUNCTION forget_users();
