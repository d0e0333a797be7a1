-- Programs elsewhere that begin chats: how each signs, what is said of what it sends, and what came of every delivery.
CREATE TABLE triggers (
    id uuid PRIMARY KEY DEFAULT gen_random_uuid(),
    organisation_id uuid NOT NULL REFERENCES organisations (id) ON DELETE CASCADE,
    owner_id uuid NOT NULL REFERENCES users (id) ON DELETE CASCADE,
    options text NOT NULL,
    secret bytea NOT NULL,
    enabled boolean NOT NULL DEFAULT true,
    refused_at timestamptz,
    refusal text NOT NULL DEFAULT '',
    created_at timestamptz NOT NULL DEFAULT now()
);

CREATE INDEX triggers_of_owner ON triggers (owner_id, created_at);

-- What was sent, whole, so that it can be replayed. The name is the sender's: the same delivery is one row.
CREATE TABLE trigger_deliveries (
    id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    trigger_id uuid NOT NULL REFERENCES triggers (id) ON DELETE CASCADE,
    name text,
    thread text NOT NULL DEFAULT '',
    headers text NOT NULL,
    body bytea NOT NULL,
    state text NOT NULL CHECK (state IN ('due', 'begun', 'failed', 'skipped')),
    detail text NOT NULL DEFAULT '',
    chat_id uuid,
    taken_at timestamptz,
    created_at timestamptz NOT NULL DEFAULT now(),
    ended_at timestamptz,
    UNIQUE (trigger_id, name)
) WITH (fillfactor = 80);

CREATE INDEX trigger_deliveries_due ON trigger_deliveries (trigger_id, thread, id) WHERE state = 'due';
CREATE INDEX trigger_deliveries_of_trigger ON trigger_deliveries (trigger_id, id);
CREATE INDEX trigger_deliveries_ended ON trigger_deliveries (ended_at) WHERE ended_at IS NOT NULL;

-- The chat of a thread is named before it begins: whoever dies in between leaves the name, and no second chat.
CREATE TABLE trigger_threads (
    trigger_id uuid NOT NULL REFERENCES triggers (id) ON DELETE CASCADE,
    thread text NOT NULL,
    chat_id uuid NOT NULL UNIQUE,
    created_at timestamptz NOT NULL DEFAULT now(),
    PRIMARY KEY (trigger_id, thread)
);
