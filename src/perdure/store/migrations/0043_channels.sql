-- A trigger may be the way in of a channel; its webhook is the way out, and is told of the chats of its threads alone.
ALTER TABLE webhooks ADD COLUMN trigger_id uuid UNIQUE REFERENCES triggers (id) ON DELETE CASCADE;

-- Who somebody is elsewhere: by the id that a channel knows them by.
CREATE TABLE channel_people (
    organisation_id uuid NOT NULL REFERENCES organisations (id) ON DELETE CASCADE,
    channel text NOT NULL,
    external text NOT NULL,
    name text NOT NULL,
    user_id uuid NOT NULL REFERENCES users (id) ON DELETE CASCADE,
    created_at timestamptz NOT NULL DEFAULT now(),
    PRIMARY KEY (organisation_id, channel, external)
);

CREATE INDEX channel_people_of_user ON channel_people (user_id);

-- What somebody says in a channel, once, to be known there.
CREATE TABLE channel_codes (
    hash bytea PRIMARY KEY,
    user_id uuid NOT NULL REFERENCES users (id) ON DELETE CASCADE,
    created_at timestamptz NOT NULL DEFAULT now()
);
