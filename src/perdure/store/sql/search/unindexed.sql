-- Messages of these chats that search does not know yet in their newest form.
SELECT m.chat_id, m.number, m.revision, m.parts, m.hidden_in IS NULL AND m.visibility <> 'model'
    AND m.role IN ('user', 'assistant') AS shown
FROM messages m
LEFT JOIN search_progress p ON p.chat_id = m.chat_id
WHERE m.chat_id = ANY($1::uuid[]) AND m.revision > coalesce(p.revision, 0)
ORDER BY m.chat_id, m.revision, m.number
LIMIT $2
