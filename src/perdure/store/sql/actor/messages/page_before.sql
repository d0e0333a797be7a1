-- The newest messages that people see, before $4 if that is given, newest first.
SELECT m.*
FROM chat_cards k
JOIN messages m ON m.chat_id = k.id
WHERE k.id = $3 AND k.organisation_id = $2 AND may_read(k.id, k.root_id, k.owner_id, $1)
    AND m.hidden_in IS NULL AND m.visibility <> 'model' AND m.role <> 'system'
    AND m.number < coalesce($4, 2147483647) AND m.number > coalesce($5, 0)
ORDER BY m.number DESC
LIMIT $6
