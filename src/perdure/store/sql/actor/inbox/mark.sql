-- Mark an entry as read, or as unread.
UPDATE inbox i SET read_at = CASE WHEN $4 THEN coalesce(i.read_at, now()) END
FROM users u
WHERE u.id = $1 AND u.organisation_id = $2 AND i.user_id = $1 AND i.id = $3
RETURNING i.id, i.chat_id, i.kind, i.title, i.text, i.created_at, i.read_at
