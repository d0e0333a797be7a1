-- What users said in a chat, newest first.
SELECT m.number, m.parts, m.created_at
FROM chat_cards k
JOIN messages m ON m.chat_id = k.id
WHERE k.id = $3 AND k.organisation_id = $2 AND may_read(k.id, k.root_id, k.owner_id, $1)
    AND m.role = 'user' AND m.kind = 'ordinary' AND m.hidden_in IS NULL
ORDER BY m.number DESC
LIMIT $4
