-- Change an MCP server: $3 options, $4 its secrets. Null leaves the secrets as they are.
UPDATE mcp_servers s SET options = $3, secret = coalesce($4, s.secret), revision = s.revision + 1
WHERE s.organisation_id = $1 AND s.id = $2
RETURNING s.id, s.slug, s.options, s.secret, s.revision
