-- What the advisor said to a chat after a message: the results of its calls, oldest first.
SELECT parts FROM messages
WHERE chat_id = $1 AND number > $2 AND role = 'tool' AND hidden_in IS NULL AND parts LIKE '%"tool":"advisor"%'
ORDER BY number
