-- Configuration: where models are served, how each is used, whose keys pay, and settings by name.

CREATE TABLE providers (
    id uuid PRIMARY KEY DEFAULT gen_random_uuid(),
    organisation_id uuid NOT NULL REFERENCES organisations,
    name text NOT NULL,
    dialect text NOT NULL,
    base_url text NOT NULL,
    enabled boolean NOT NULL DEFAULT true,
    -- Quirks of the endpoint, as one JSON object.
    options text NOT NULL DEFAULT '{}',
    created_at timestamptz NOT NULL DEFAULT now()
);
CREATE UNIQUE INDEX providers_name ON providers (organisation_id, lower(name));

-- Encrypted. Without a user: the deployment's own key.
CREATE TABLE provider_keys (
    id uuid PRIMARY KEY DEFAULT gen_random_uuid(),
    provider_id uuid NOT NULL REFERENCES providers ON DELETE CASCADE,
    user_id uuid REFERENCES users ON DELETE CASCADE,
    secret bytea NOT NULL,
    hint text NOT NULL,
    created_at timestamptz NOT NULL DEFAULT now()
);
CREATE UNIQUE INDEX provider_keys_deployment ON provider_keys (provider_id) WHERE user_id IS NULL;
CREATE UNIQUE INDEX provider_keys_personal ON provider_keys (provider_id, user_id) WHERE user_id IS NOT NULL;

CREATE TABLE model_settings (
    organisation_id uuid NOT NULL REFERENCES organisations,
    name text NOT NULL,
    provider_id uuid NOT NULL REFERENCES providers ON DELETE CASCADE,
    -- What the provider calls it.
    model text NOT NULL,
    display_name text NOT NULL DEFAULT '',
    enabled boolean NOT NULL DEFAULT true,
    chosen boolean NOT NULL DEFAULT false,
    options text NOT NULL DEFAULT '{}',
    created_at timestamptz NOT NULL DEFAULT now(),
    PRIMARY KEY (organisation_id, name)
);
CREATE UNIQUE INDEX model_settings_default ON model_settings (organisation_id) WHERE chosen;
CREATE INDEX model_settings_by_provider ON model_settings (provider_id);

CREATE TABLE settings (
    organisation_id uuid NOT NULL REFERENCES organisations,
    name text NOT NULL,
    value text NOT NULL,
    updated_at timestamptz NOT NULL DEFAULT now(),
    PRIMARY KEY (organisation_id, name)
);

CREATE TABLE user_settings (
    user_id uuid NOT NULL REFERENCES users ON DELETE CASCADE,
    name text NOT NULL,
    value text NOT NULL,
    updated_at timestamptz NOT NULL DEFAULT now(),
    PRIMARY KEY (user_id, name)
);

ALTER TABLE chat_cards
    -- Where the workspace's repository stands, as one JSON object.
    ADD COLUMN diff text,
    ADD COLUMN context_dirty boolean NOT NULL DEFAULT false;

-- A card with what belongs to it in other tables. `listed_at` is the card's own time: chats have one too.
CREATE VIEW cards AS
SELECT c.id, c.organisation_id, c.owner_id, c.parent_id, c.root_id, c.agent_type, c.title, c.title_source, c.labels,
    c.source, c.model, c.effort, c.plan_mode, c.pin, c.workspace_id, c.client_tools, c.client_tool_deadline, c.settings,
    c.turn_label, c.summary, c.summarised_turns, c.turns, c.cost, c.unpriced_calls, c.context_tokens, c.context_limit,
    c.diff, c.context_dirty, c.metadata_version, c.created_at, c.updated_at AS listed_at, now() AS read_at,
    ARRAY(SELECT k.id FROM chat_cards k WHERE k.parent_id = c.id ORDER BY k.created_at, k.id) AS children,
    EXISTS (SELECT FROM chat_shares s WHERE s.chat_id = coalesce(c.root_id, c.id)) AS shared
FROM chat_cards c;
