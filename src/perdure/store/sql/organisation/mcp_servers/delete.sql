-- Remove an MCP server with everybody's tokens.
DELETE FROM mcp_servers s WHERE s.organisation_id = $1 AND s.id = $2 RETURNING s.slug
