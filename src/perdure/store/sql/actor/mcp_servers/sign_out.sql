-- Forget the actor's tokens for an MCP server of the organisation.
DELETE FROM mcp_grants g USING mcp_servers s
WHERE s.id = g.server_id AND g.user_id = $1 AND s.organisation_id = $2 AND s.id = $3
RETURNING g.server_id
