-- Whoever comes back: once, and in time.
DELETE FROM mcp_sign_ins WHERE hash = $1
RETURNING server_id, user_id, secret, expires_at > now() AS valid
