-- Root chats of an organisation at rest that nobody pinned, and whose whole family has not moved for so long.
SELECT k.id, k.owner_id, k.title
FROM chat_cards k
JOIN chats c ON c.id = k.id
WHERE k.organisation_id = $1 AND k.parent_id IS NULL AND k.pin = 0
    AND NOT c.archived AND c.status IN ('waiting', 'error') AND c.updated_at < now() - $2::interval
    AND NOT EXISTS (
        SELECT FROM chat_cards m JOIN chats f ON f.id = m.id
        WHERE m.root_id = k.id AND (f.status NOT IN ('waiting', 'error') OR f.updated_at >= now() - $2::interval)
    )
ORDER BY c.updated_at
LIMIT $3
