-- Remove families that have been archived for longer than they are kept, a batch at a time.
WITH due AS (
    SELECT k.id
    FROM chat_cards k
    JOIN chats c ON c.id = k.id
    WHERE k.organisation_id = $1 AND k.parent_id IS NULL AND c.archived AND c.updated_at < now() - $2::interval
    ORDER BY c.updated_at
    LIMIT $3
)
DELETE FROM chats e USING chat_cards m, due
WHERE e.id = m.id AND (m.id = due.id OR m.root_id = due.id)
RETURNING e.id
