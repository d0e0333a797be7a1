-- The MCP servers of an organisation, with their encrypted secrets.
SELECT id, slug, options, secret, revision FROM mcp_servers WHERE organisation_id = $1 ORDER BY slug
