-- name: mcp_servers.listed
-- The MCP servers of the actor's organisation, and whether the actor signed in to each.
SELECT s.id, s.slug, s.options, s.secret, s.revision, g.user_id IS NOT NULL AS signed_in
FROM mcp_servers s
LEFT JOIN mcp_grants g ON g.server_id = s.id AND g.user_id = $1
WHERE s.organisation_id = $2
ORDER BY s.slug

-- name: mcp_servers.of_organisation
-- The MCP servers of an organisation, with their encrypted secrets.
SELECT id, slug, options, secret, revision FROM mcp_servers WHERE organisation_id = $1 ORDER BY slug

-- name: mcp_servers.revisions
-- Which revision each of these servers is at. One that was removed has none.
SELECT id, revision FROM mcp_servers WHERE id = ANY ($1)

-- name: mcp_servers.add
-- A new MCP server: $2 slug, $3 options, $4 its secrets.
INSERT INTO mcp_servers (organisation_id, slug, options, secret) VALUES ($1, $2, $3, $4)
RETURNING id, slug, options, secret, revision

-- name: mcp_servers.change
-- Change an MCP server: $3 options, $4 its secrets. Null leaves the secrets as they are.
UPDATE mcp_servers s SET options = $3, secret = coalesce($4, s.secret), revision = s.revision + 1
WHERE s.organisation_id = $1 AND s.id = $2
RETURNING s.id, s.slug, s.options, s.secret, s.revision

-- name: mcp_servers.delete
-- Remove an MCP server with everybody's tokens.
DELETE FROM mcp_servers s WHERE s.organisation_id = $1 AND s.id = $2 RETURNING s.slug

-- name: mcp_servers.registration
-- The OAuth client that we are to a server.
SELECT registration FROM mcp_servers WHERE id = $1

-- name: mcp_servers.register
-- Remember the OAuth client that we are to a server.
UPDATE mcp_servers SET registration = $2 WHERE id = $1
