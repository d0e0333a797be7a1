-- One live message of a chat, whoever it is for.
SELECT m.*
FROM chat_cards k
JOIN messages m ON m.chat_id = k.id
WHERE k.id = $3 AND k.organisation_id = $2 AND may_read(k.id, k.root_id, k.owner_id, $1)
    AND m.number = $4 AND m.hidden_in IS NULL
