-- The encrypted tokens of a person for a server, held while they are renewed: a refresh token works once.
SELECT secret, expires_at FROM mcp_grants WHERE server_id = $1 AND user_id = $2 FOR UPDATE
