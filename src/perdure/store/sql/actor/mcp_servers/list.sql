-- The MCP servers of the actor's organisation, and whether the actor signed in to each.
SELECT s.id, s.slug, s.options, s.secret, s.revision, g.user_id IS NOT NULL AS signed_in
FROM mcp_servers s
LEFT JOIN mcp_grants g ON g.server_id = s.id AND g.user_id = $1
WHERE s.organisation_id = $2
ORDER BY s.slug
