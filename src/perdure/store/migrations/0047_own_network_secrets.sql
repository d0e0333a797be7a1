-- A person's own secrets for rules: in their workspaces each takes the place of the organisation's of the same name.
CREATE TABLE own_network_secrets (
    user_id uuid NOT NULL REFERENCES users (id) ON DELETE CASCADE,
    organisation_id uuid NOT NULL REFERENCES organisations (id),
    name text NOT NULL,
    secret bytea NOT NULL,
    changed_at timestamptz NOT NULL DEFAULT now(),
    PRIMARY KEY (user_id, name)
);
