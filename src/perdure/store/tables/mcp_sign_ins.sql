-- name: mcp_sign_ins.begin
-- Remember that a person is on their way to sign in, and forget those who never came back.
WITH gone AS (DELETE FROM mcp_sign_ins WHERE expires_at < now())
INSERT INTO mcp_sign_ins (hash, server_id, user_id, secret, expires_at) VALUES ($1, $2, $3, $4, now() + $5::interval)

-- name: mcp_sign_ins.finish
-- Whoever comes back: once, and in time.
DELETE FROM mcp_sign_ins WHERE hash = $1
RETURNING server_id, user_id, secret, expires_at > now() AS valid
