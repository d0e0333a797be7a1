-- The least that chats and messages can be.
CREATE TABLE IF NOT EXISTS floor_chats (id uuid PRIMARY KEY, version bigint NOT NULL, status text NOT NULL)
WITH (fillfactor = 50);
CREATE TABLE IF NOT EXISTS floor_messages (
    chat_id uuid NOT NULL, number bigint NOT NULL, parts text NOT NULL, PRIMARY KEY (chat_id, number)
);
