-- Everything that people see of a chat, oldest first: what an export holds.
SELECT m.*
FROM chat_cards k
JOIN messages m ON m.chat_id = k.id
WHERE k.id = $3 AND k.organisation_id = $2 AND may_read(k.id, k.root_id, k.owner_id, $1)
    AND m.hidden_in IS NULL AND m.visibility <> 'model' AND m.role <> 'system'
ORDER BY m.number
