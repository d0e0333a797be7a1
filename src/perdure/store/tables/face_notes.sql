-- name: face_notes.read
-- What is kept beside a chat or one of its messages, for its owner and those who may read the chat.
SELECT n.metadata, n.items
FROM face_notes n
JOIN users u ON u.id = n.owner_id AND u.organisation_id = $2
WHERE n.chat_id = $3 AND n.number = $4
    AND (n.owner_id = $1 OR EXISTS (
        SELECT FROM chat_cards k WHERE k.id = n.chat_id AND may_read(k.id, k.root_id, k.owner_id, $1)
    ))

-- name: face_notes.write
-- Keep metadata, items, or both. What is not said stays as it is.
INSERT INTO face_notes AS n (chat_id, number, owner_id, metadata, items)
SELECT $3, $4, u.id, coalesce($5, '{}'), coalesce($6, '[]') FROM users u WHERE u.id = $1 AND u.organisation_id = $2
ON CONFLICT (chat_id, number) DO UPDATE SET metadata = coalesce($5, n.metadata), items = coalesce($6, n.items)
WHERE n.owner_id = $1

-- name: face_notes.remove
-- Keep nothing beside a chat any more.
DELETE FROM face_notes n USING users u
WHERE n.chat_id = $3 AND n.owner_id = $1 AND u.id = $1 AND u.organisation_id = $2
