-- When the chat began what it is at: whichever replica ends a turn says how long it took.
ALTER TABLE chats ADD COLUMN turn_began_at timestamptz;
