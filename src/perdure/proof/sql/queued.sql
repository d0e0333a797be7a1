-- Every message that waits or waited.
SELECT chat_id, number, client_id, removed_in FROM queued_messages ORDER BY chat_id, number
