-- name: sessions.actor
-- Whose session this is, while it lasts.
SELECT s.id AS session_id, u.id AS user_id, u.organisation_id, u.role,
    coalesce(nullif(u.name, ''), split_part(u.email, '@', 1)) AS name
FROM sessions s
JOIN users u ON u.id = s.user_id
WHERE s.hash = $1 AND s.expires_at > now() AND u.disabled_at IS NULL

-- name: sessions.begin
-- Begin a session of somebody who may still sign in.
INSERT INTO sessions (hash, user_id, address, user_agent, expires_at)
SELECT $1, u.id, $3, $4, now() + $5::interval
FROM users u
WHERE u.id = $2 AND u.disabled_at IS NULL
RETURNING id

-- name: sessions.fresh
-- A session of one's own that began at most $4 ago.
SELECT s.id
FROM sessions s
JOIN users u ON u.id = s.user_id AND u.organisation_id = $2
WHERE s.user_id = $1 AND s.id = $3 AND s.created_at > now() - $4::interval

-- name: sessions.end
-- End a session of one's own.
DELETE FROM sessions s USING users u
WHERE s.id = $3 AND s.user_id = $1 AND u.id = $1 AND u.organisation_id = $2
RETURNING s.id

-- name: sessions.end_others
-- End all sessions of one's own but one.
DELETE FROM sessions s USING users u
WHERE s.user_id = $1 AND u.id = $1 AND u.organisation_id = $2 AND s.id IS DISTINCT FROM $3
RETURNING s.id

-- name: sessions.listed
-- One's own sessions.
SELECT s.id, s.address, s.user_agent, s.created_at, s.expires_at
FROM sessions s
JOIN users u ON u.id = s.user_id AND u.organisation_id = $2
WHERE s.user_id = $1 AND s.expires_at > now()
ORDER BY s.created_at DESC, s.id

-- name: sessions.forget_over
-- Forget sessions that are over.
DELETE FROM sessions WHERE expires_at < now()
