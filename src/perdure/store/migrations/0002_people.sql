-- People: how they prove who they are, the groups they form, what they share, what they have read, what they did.

ALTER TABLE users
    ADD COLUMN password_hash text,
    ADD COLUMN preferences text NOT NULL DEFAULT '{}',
    ADD COLUMN disabled_at timestamptz;
CREATE INDEX users_of_organisation ON users (organisation_id, created_at, id);

-- Secrets are stored as their SHA-256 only: whoever reads the table cannot sign in with it.
CREATE TABLE sessions (
    id uuid PRIMARY KEY DEFAULT gen_random_uuid(),
    hash bytea NOT NULL UNIQUE,
    user_id uuid NOT NULL REFERENCES users ON DELETE CASCADE,
    address text NOT NULL DEFAULT '',
    user_agent text NOT NULL DEFAULT '',
    created_at timestamptz NOT NULL DEFAULT now(),
    expires_at timestamptz NOT NULL
);
CREATE INDEX sessions_by_user ON sessions (user_id);
CREATE INDEX sessions_expired ON sessions (expires_at);

CREATE TABLE tokens (
    id uuid PRIMARY KEY DEFAULT gen_random_uuid(),
    hash bytea NOT NULL UNIQUE,
    user_id uuid NOT NULL REFERENCES users ON DELETE CASCADE,
    name text NOT NULL,
    hint text NOT NULL,
    scopes text[] NOT NULL,
    created_at timestamptz NOT NULL DEFAULT now(),
    expires_at timestamptz,
    used_at timestamptz
);
CREATE INDEX tokens_by_user ON tokens (user_id, created_at);

CREATE TABLE login_links (
    hash bytea PRIMARY KEY,
    user_id uuid NOT NULL REFERENCES users ON DELETE CASCADE,
    expires_at timestamptz NOT NULL
);

-- Who somebody is at a login service.
CREATE TABLE identities (
    service text NOT NULL,
    subject text NOT NULL,
    user_id uuid NOT NULL REFERENCES users ON DELETE CASCADE,
    created_at timestamptz NOT NULL DEFAULT now(),
    PRIMARY KEY (service, subject)
);
CREATE INDEX identities_by_user ON identities (user_id);

CREATE TABLE groups (
    id uuid PRIMARY KEY DEFAULT gen_random_uuid(),
    organisation_id uuid NOT NULL REFERENCES organisations,
    name text NOT NULL,
    created_at timestamptz NOT NULL DEFAULT now()
);
CREATE UNIQUE INDEX groups_name ON groups (organisation_id, lower(name));

CREATE TABLE group_members (
    group_id uuid NOT NULL REFERENCES groups ON DELETE CASCADE,
    user_id uuid NOT NULL REFERENCES users ON DELETE CASCADE,
    PRIMARY KEY (group_id, user_id)
);
CREATE INDEX group_members_by_user ON group_members (user_id);

-- Read access to a root chat and its family, for a person or for a group.
CREATE TABLE chat_shares (
    chat_id uuid NOT NULL REFERENCES chats ON DELETE CASCADE,
    user_id uuid REFERENCES users ON DELETE CASCADE,
    group_id uuid REFERENCES groups ON DELETE CASCADE,
    created_at timestamptz NOT NULL DEFAULT now(),
    CHECK ((user_id IS NULL) <> (group_id IS NULL))
);
CREATE UNIQUE INDEX chat_shares_users ON chat_shares (chat_id, user_id) WHERE user_id IS NOT NULL;
CREATE UNIQUE INDEX chat_shares_groups ON chat_shares (chat_id, group_id) WHERE group_id IS NOT NULL;
CREATE INDEX chat_shares_by_user ON chat_shares (user_id) WHERE user_id IS NOT NULL;
CREATE INDEX chat_shares_by_group ON chat_shares (group_id) WHERE group_id IS NOT NULL;

-- Up to which message somebody has read a chat.
CREATE TABLE read_markers (
    user_id uuid NOT NULL REFERENCES users ON DELETE CASCADE,
    chat_id uuid NOT NULL REFERENCES chats ON DELETE CASCADE,
    number integer NOT NULL,
    PRIMARY KEY (user_id, chat_id)
);
CREATE INDEX read_markers_by_chat ON read_markers (chat_id);

CREATE TABLE audit (
    id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    organisation_id uuid NOT NULL REFERENCES organisations,
    actor_id uuid REFERENCES users ON DELETE SET NULL,
    action text NOT NULL,
    subject text NOT NULL DEFAULT '',
    detail text NOT NULL DEFAULT '{}',
    at timestamptz NOT NULL DEFAULT now()
);
CREATE INDEX audit_newest ON audit (organisation_id, id DESC);

-- Whether a person may read a chat: it is theirs, or it or its root is shared with them or with a group of theirs.
CREATE FUNCTION may_read(chat uuid, root uuid, owner uuid, reader uuid) RETURNS boolean
    LANGUAGE sql STABLE PARALLEL SAFE AS $$
    SELECT owner = reader OR EXISTS (
        SELECT FROM chat_shares s
        WHERE s.chat_id = coalesce(root, chat)
            AND (s.user_id = reader
                 OR s.group_id IN (SELECT m.group_id FROM group_members m WHERE m.user_id = reader))
    )
$$;
