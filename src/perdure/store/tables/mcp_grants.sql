-- name: mcp_grants.load
-- The encrypted tokens of a person for a server.
SELECT secret, expires_at FROM mcp_grants WHERE server_id = $1 AND user_id = $2

-- name: mcp_grants.hold
-- The encrypted tokens of a person for a server, held while they are renewed: a refresh token works once.
SELECT secret, expires_at FROM mcp_grants WHERE server_id = $1 AND user_id = $2 FOR UPDATE

-- name: mcp_grants.put
-- Keep a person's tokens for a server.
INSERT INTO mcp_grants (server_id, user_id, secret, expires_at) VALUES ($1, $2, $3, $4)
ON CONFLICT (server_id, user_id) DO UPDATE
SET secret = excluded.secret, expires_at = excluded.expires_at, updated_at = now()

-- name: mcp_grants.sign_out
-- Forget the actor's tokens for an MCP server of the organisation.
DELETE FROM mcp_grants g USING mcp_servers s
WHERE s.id = g.server_id AND g.user_id = $1 AND s.organisation_id = $2 AND s.id = $3
RETURNING g.server_id
