-- Programs that are told what happens in somebody's chats, and what each is still to be told.
CREATE TABLE webhooks (
    id uuid PRIMARY KEY DEFAULT gen_random_uuid(),
    organisation_id uuid NOT NULL REFERENCES organisations (id) ON DELETE CASCADE,
    owner_id uuid NOT NULL REFERENCES users (id) ON DELETE CASCADE,
    name text NOT NULL,
    url text NOT NULL,
    events text[] NOT NULL,
    enabled boolean NOT NULL DEFAULT true,
    secret bytea NOT NULL,
    created_at timestamptz NOT NULL DEFAULT now()
);

CREATE INDEX webhooks_of_owner ON webhooks (owner_id);

-- Written in the commit that it tells of. In a chat, ids grow with its changes.
CREATE TABLE outbox (
    id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    name uuid NOT NULL DEFAULT gen_random_uuid(),
    webhook_id uuid NOT NULL REFERENCES webhooks (id) ON DELETE CASCADE,
    chat_id uuid NOT NULL,
    event text NOT NULL,
    number integer,
    state text NOT NULL DEFAULT 'pending' CHECK (state IN ('pending', 'delivered', 'dead')),
    attempts integer NOT NULL DEFAULT 0,
    due_at timestamptz NOT NULL DEFAULT now(),
    taken_until timestamptz,
    status integer,
    detail text NOT NULL DEFAULT '',
    created_at timestamptz NOT NULL DEFAULT now(),
    settled_at timestamptz
) WITH (fillfactor = 70);

CREATE INDEX outbox_pending ON outbox (webhook_id, chat_id, id) WHERE state = 'pending';
CREATE INDEX outbox_of_webhook ON outbox (webhook_id, id);
CREATE INDEX outbox_settled ON outbox (settled_at) WHERE settled_at IS NOT NULL;
