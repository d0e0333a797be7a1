-- How much somebody has not read.
SELECT count(*) AS unread FROM inbox i JOIN users u ON u.id = i.user_id AND u.organisation_id = $2
WHERE i.user_id = $1 AND i.read_at IS NULL
