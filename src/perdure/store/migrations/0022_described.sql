-- Up to which turn a chat was described, so that words that a crash lost can be found to be due.
-- Nothing is due of chats that were there before.
ALTER TABLE chat_cards ADD COLUMN described_turns integer NOT NULL DEFAULT 2147483647;
ALTER TABLE chat_cards ALTER COLUMN described_turns SET DEFAULT 0;
