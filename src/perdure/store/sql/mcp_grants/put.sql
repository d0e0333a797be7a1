-- Keep a person's tokens for a server.
INSERT INTO mcp_grants (server_id, user_id, secret, expires_at) VALUES ($1, $2, $3, $4)
ON CONFLICT (server_id, user_id) DO UPDATE
SET secret = excluded.secret, expires_at = excluded.expires_at, updated_at = now()
