-- Whether an answer follows the newest summary of a chat of one's own.
SELECT EXISTS (
    SELECT FROM messages m
    WHERE m.chat_id = k.id AND m.role = 'assistant' AND m.kind = 'ordinary' AND m.hidden_in IS NULL
        AND m.number > coalesce((
            SELECT max(b.number) FROM messages b WHERE b.chat_id = k.id AND b.kind = 'boundary' AND b.hidden_in IS NULL
        ), 0)
) AS compactable
FROM chat_cards k
WHERE k.id = $3 AND k.organisation_id = $2 AND k.owner_id = $1
