-- When the chat of a thread was first shared with the others who speak there. Once its owner takes that back, it stays so.
ALTER TABLE trigger_threads ADD COLUMN shared_at timestamptz;
