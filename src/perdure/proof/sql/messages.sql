-- Every message, hidden ones included, in order.
SELECT chat_id, number, revision, role, visibility, kind, parts, client_id, queued_as, hidden_in, answer
FROM messages ORDER BY chat_id, number
