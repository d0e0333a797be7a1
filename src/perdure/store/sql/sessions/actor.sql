-- Whose session this is, while it lasts.
SELECT s.id AS session_id, u.id AS user_id, u.organisation_id, u.role
FROM sessions s
JOIN users u ON u.id = s.user_id
WHERE s.hash = $1 AND s.expires_at > now() AND u.disabled_at IS NULL
