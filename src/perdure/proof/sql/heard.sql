-- What the waits of a chat came to.
SELECT parts FROM messages
WHERE chat_id = $1 AND role = 'tool' AND hidden_in IS NULL AND parts LIKE '%"tool":"wait_agent"%'
ORDER BY number
