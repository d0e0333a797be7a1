-- Workspaces: where the tools of chats act. The driver keeps the files; this says what was asked for and how it stands.

CREATE TABLE workspaces (
    id uuid PRIMARY KEY,
    organisation_id uuid NOT NULL REFERENCES organisations,
    owner_id uuid NOT NULL REFERENCES users,
    driver text NOT NULL,
    template text NOT NULL,
    parameters text NOT NULL DEFAULT '{}',
    status text NOT NULL DEFAULT 'creating' CHECK (status IN ('creating', 'running', 'stopped', 'failed')),
    error text,
    created_at timestamptz NOT NULL DEFAULT now(),
    used_at timestamptz NOT NULL DEFAULT now()
);
CREATE INDEX workspaces_of_owner ON workspaces (owner_id, created_at DESC);
CREATE INDEX workspaces_idle ON workspaces (used_at) WHERE status = 'running';
