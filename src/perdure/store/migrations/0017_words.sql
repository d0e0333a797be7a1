-- What the words about a chat cost, which are found outside of its turns; and chats that wait for a budget.
ALTER TABLE chat_cards
    ADD COLUMN words_calls integer NOT NULL DEFAULT 0,
    ADD COLUMN words_unpriced integer NOT NULL DEFAULT 0,
    ADD COLUMN words_cost bigint NOT NULL DEFAULT 0;

CREATE INDEX chats_unpaid ON chats (id) WHERE status = 'requires_action' AND action LIKE '{"kind":"budget"%';
