-- A new MCP server: $2 slug, $3 options, $4 its secrets. Nothing comes back where the slug is taken.
INSERT INTO mcp_servers (organisation_id, slug, options, secret) VALUES ($1, $2, $3, $4)
ON CONFLICT DO NOTHING
RETURNING id, slug, options, secret, revision
