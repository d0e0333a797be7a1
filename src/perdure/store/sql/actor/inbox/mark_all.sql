-- Mark everything as read.
UPDATE inbox i SET read_at = now()
FROM users u
WHERE u.id = $1 AND u.organisation_id = $2 AND i.user_id = $1 AND i.read_at IS NULL
RETURNING i.id
