-- A webhook can be tried out: what it is told then is of no chat.
ALTER TABLE outbox ALTER COLUMN chat_id DROP NOT NULL;
