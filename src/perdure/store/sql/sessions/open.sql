-- Begin a session of somebody who may still sign in.
INSERT INTO sessions (hash, user_id, address, user_agent, expires_at)
SELECT $1, u.id, $3, $4, now() + $5::interval
FROM users u
WHERE u.id = $2 AND u.disabled_at IS NULL
RETURNING id
