-- One's own sessions.
SELECT s.id, s.address, s.user_agent, s.created_at, s.expires_at
FROM sessions s
JOIN users u ON u.id = s.user_id AND u.organisation_id = $2
WHERE s.user_id = $1 AND s.expires_at > now()
ORDER BY s.created_at DESC, s.id
