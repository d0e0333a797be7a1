-- The history of a chat up to message $4 for its owner, rows for the model included: what a fork copies. Up to a message
-- that an edit hid, it is the history as it was then.
SELECT m.*
FROM chat_cards k
JOIN messages last ON last.chat_id = k.id AND last.number = $4
JOIN messages m ON m.chat_id = k.id
WHERE k.id = $3 AND k.organisation_id = $2 AND k.owner_id = $1 AND m.number <= $4
    AND (m.hidden_in IS NULL OR m.hidden_in >= last.hidden_in)
ORDER BY m.number
