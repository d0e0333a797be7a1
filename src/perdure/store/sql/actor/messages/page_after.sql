-- The messages that people see after $4, oldest first.
SELECT m.*
FROM chat_cards k
JOIN messages m ON m.chat_id = k.id
WHERE k.id = $3 AND k.organisation_id = $2 AND may_read(k.id, k.root_id, k.owner_id, $1)
    AND m.hidden_in IS NULL AND m.visibility <> 'model' AND m.role <> 'system' AND m.number > $4
ORDER BY m.number
LIMIT $5
