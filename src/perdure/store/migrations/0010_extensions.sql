-- What an organisation and its people add to agents: MCP servers, hooks, skills.

CREATE TABLE mcp_servers (
    id uuid PRIMARY KEY DEFAULT gen_random_uuid(),
    organisation_id uuid NOT NULL REFERENCES organisations,
    -- The first half of the names of its tools; it never changes.
    slug text NOT NULL,
    options text NOT NULL,
    -- Encrypted, as one JSON object.
    secret bytea,
    -- Encrypted: the OAuth client that we registered as, and with whom.
    registration bytea,
    revision bigint NOT NULL DEFAULT 1,
    created_at timestamptz NOT NULL DEFAULT now(),
    UNIQUE (organisation_id, slug)
);

-- Who signed in to a server: their tokens, encrypted.
CREATE TABLE mcp_grants (
    server_id uuid NOT NULL REFERENCES mcp_servers ON DELETE CASCADE,
    user_id uuid NOT NULL REFERENCES users ON DELETE CASCADE,
    secret bytea NOT NULL,
    expires_at timestamptz,
    updated_at timestamptz NOT NULL DEFAULT now(),
    PRIMARY KEY (server_id, user_id)
);
CREATE INDEX mcp_grants_by_user ON mcp_grants (user_id);

-- People who are on their way to sign in to a server, by the hash of what comes back with them.
CREATE TABLE mcp_sign_ins (
    hash bytea PRIMARY KEY,
    server_id uuid NOT NULL REFERENCES mcp_servers ON DELETE CASCADE,
    user_id uuid NOT NULL REFERENCES users ON DELETE CASCADE,
    secret bytea NOT NULL,
    expires_at timestamptz NOT NULL
);
CREATE INDEX mcp_sign_ins_by_server ON mcp_sign_ins (server_id);
CREATE INDEX mcp_sign_ins_by_user ON mcp_sign_ins (user_id);

CREATE TABLE hooks (
    id uuid PRIMARY KEY DEFAULT gen_random_uuid(),
    organisation_id uuid NOT NULL REFERENCES organisations,
    options text NOT NULL,
    -- Encrypted: what requests are signed with.
    secret bytea NOT NULL,
    created_at timestamptz NOT NULL DEFAULT now()
);
CREATE INDEX hooks_by_organisation ON hooks (organisation_id, created_at);

-- What hooks were asked and what they answered. It is a log: it is written without waiting and thrown away by age.
CREATE TABLE hook_deliveries (
    id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    hook_id uuid NOT NULL REFERENCES hooks ON DELETE CASCADE,
    dispatch_id uuid NOT NULL,
    event text NOT NULL,
    chat_id uuid,
    outcome text NOT NULL,
    status integer,
    attempts integer NOT NULL,
    duration_ms integer NOT NULL,
    detail text NOT NULL DEFAULT '',
    created_at timestamptz NOT NULL DEFAULT now()
);
CREATE INDEX hook_deliveries_newest ON hook_deliveries (hook_id, id DESC);
CREATE INDEX hook_deliveries_by_age ON hook_deliveries (created_at);

CREATE TABLE skills (
    user_id uuid NOT NULL REFERENCES users ON DELETE CASCADE,
    name text NOT NULL,
    description text NOT NULL,
    content text NOT NULL,
    -- Further files by name, as one JSON object.
    files text NOT NULL DEFAULT '{}',
    updated_at timestamptz NOT NULL DEFAULT now(),
    PRIMARY KEY (user_id, name)
);
