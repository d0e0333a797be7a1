-- What may leave workspaces whose network is by permission: rules of an organisation, or of one chat, and their secrets.
CREATE TABLE network_rules (
    id uuid PRIMARY KEY DEFAULT gen_random_uuid(),
    organisation_id uuid NOT NULL REFERENCES organisations (id),
    chat_id uuid REFERENCES chats (id) ON DELETE CASCADE,
    rule text NOT NULL,
    once boolean NOT NULL DEFAULT false,
    created_by uuid REFERENCES users (id) ON DELETE SET NULL,
    created_at timestamptz NOT NULL DEFAULT now()
);
CREATE INDEX network_rules_of_organisation ON network_rules (organisation_id) WHERE chat_id IS NULL;
CREATE INDEX network_rules_of_chat ON network_rules (chat_id) WHERE chat_id IS NOT NULL;
CREATE TABLE network_secrets (
    organisation_id uuid NOT NULL REFERENCES organisations (id),
    name text NOT NULL,
    secret bytea NOT NULL,
    changed_at timestamptz NOT NULL DEFAULT now(),
    PRIMARY KEY (organisation_id, name)
);
