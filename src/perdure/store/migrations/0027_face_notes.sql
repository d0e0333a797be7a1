-- What clients of other protocols keep beside a chat: the metadata of a response, by the message that it answers; and as
-- number 0 that of a conversation, with what was added to it and waits to be answered. It has a name before it is a chat.
CREATE TABLE face_notes (
    chat_id uuid NOT NULL,
    number integer NOT NULL,
    owner_id uuid NOT NULL REFERENCES users ON DELETE CASCADE,
    metadata text NOT NULL DEFAULT '{}',
    items text NOT NULL DEFAULT '[]',
    PRIMARY KEY (chat_id, number)
);
CREATE INDEX face_notes_owner ON face_notes (owner_id);

CREATE OR REPLACE FUNCTION forget_chats() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    DELETE FROM messages WHERE chat_id IN (SELECT id FROM forgotten);
    DELETE FROM queued_messages WHERE chat_id IN (SELECT id FROM forgotten);
    DELETE FROM inbox WHERE chat_id IN (SELECT id FROM forgotten);
    DELETE FROM face_notes WHERE chat_id IN (SELECT id FROM forgotten);
    RETURN NULL;
END
$$;

-- Clients that only send messages are found by how their chats begin.
CREATE INDEX chat_cards_beginnings ON chat_cards (owner_id, (labels ->> 'openai')) WHERE labels ? 'openai';
