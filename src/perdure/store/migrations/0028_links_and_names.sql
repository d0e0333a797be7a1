-- A link that lets whoever of the organisation opens it read a chat. Taking it back takes that right from all of them.
CREATE TABLE chat_links (
    id uuid PRIMARY KEY,
    chat_id uuid NOT NULL UNIQUE REFERENCES chat_cards (id) ON DELETE CASCADE,
    created_at timestamptz NOT NULL DEFAULT now()
);

ALTER TABLE chat_shares ADD COLUMN link_id uuid REFERENCES chat_links (id) ON DELETE CASCADE;

CREATE INDEX chat_shares_of_link ON chat_shares (link_id) WHERE link_id IS NOT NULL;

-- What its owner calls a workspace.
ALTER TABLE workspaces ADD COLUMN name text NOT NULL DEFAULT '';
