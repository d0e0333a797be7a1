-- A webhook may be one turn's: whoever gave the task is told how it goes, and of nothing else.
ALTER TABLE webhooks
    ADD COLUMN chat_id uuid REFERENCES chats (id) ON DELETE CASCADE,
    ADD COLUMN turn integer,
    ADD CONSTRAINT webhooks_of_a_turn CHECK ((chat_id IS NULL) = (turn IS NULL));

CREATE UNIQUE INDEX webhooks_of_turn ON webhooks (chat_id, turn, owner_id, name) WHERE chat_id IS NOT NULL;
