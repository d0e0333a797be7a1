-- name: inbox.page
-- What somebody was told, newest first, before the entry of time $3 and id $4; $5 the unread only.
SELECT i.id, i.chat_id, i.kind, i.title, i.text, i.created_at, i.read_at
FROM inbox i
JOIN users u ON u.id = i.user_id AND u.organisation_id = $2
WHERE i.user_id = $1 AND ($3::timestamptz IS NULL OR (i.created_at, i.id) < ($3, $4))
    AND (NOT coalesce($5, false) OR i.read_at IS NULL)
ORDER BY i.created_at DESC, i.id DESC
LIMIT $6

-- name: inbox.unread
-- How much somebody has not read.
SELECT count(*) AS unread FROM inbox i JOIN users u ON u.id = i.user_id AND u.organisation_id = $2
WHERE i.user_id = $1 AND i.read_at IS NULL

-- name: inbox.mark
-- Mark an entry as read, or as unread.
UPDATE inbox i SET read_at = CASE WHEN $4 THEN coalesce(i.read_at, now()) END
FROM users u
WHERE u.id = $1 AND u.organisation_id = $2 AND i.user_id = $1 AND i.id = $3
RETURNING i.id, i.chat_id, i.kind, i.title, i.text, i.created_at, i.read_at

-- name: inbox.mark_all
-- Mark everything as read.
UPDATE inbox i SET read_at = now()
FROM users u
WHERE u.id = $1 AND u.organisation_id = $2 AND i.user_id = $1 AND i.read_at IS NULL

-- name: inbox.digest
-- Tell somebody once what was archived for them.
INSERT INTO inbox (user_id, kind, title, text) VALUES ($1, 'digest', $2, $3)
