-- The whole history of a chat for its owner, rows for the model included: what a fork copies.
SELECT m.*
FROM chat_cards k
JOIN messages m ON m.chat_id = k.id
WHERE k.id = $3 AND k.organisation_id = $2 AND k.owner_id = $1 AND m.hidden_in IS NULL AND m.number <= $4
ORDER BY m.number
