-- What was said in a chat, newest first, for the model that forgot it.
SELECT number, role, parts FROM messages
WHERE chat_id = $1 AND hidden_in IS NULL AND kind = 'ordinary' AND role <> 'system'
    AND ($2::text = '' OR parts ILIKE '%' || $2 || '%')
    AND ($3::integer IS NULL OR number < $3)
ORDER BY number DESC
LIMIT $4
