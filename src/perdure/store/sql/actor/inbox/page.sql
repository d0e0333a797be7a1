-- What somebody was told, newest first, before the entry of time $3 and id $4; $5 the unread only.
SELECT i.id, i.chat_id, i.kind, i.title, i.text, i.created_at, i.read_at
FROM inbox i
JOIN users u ON u.id = i.user_id AND u.organisation_id = $2
WHERE i.user_id = $1 AND ($3::timestamptz IS NULL OR (i.created_at, i.id) < ($3, $4))
    AND (NOT coalesce($5, false) OR i.read_at IS NULL)
ORDER BY i.created_at DESC, i.id DESC
LIMIT $6
