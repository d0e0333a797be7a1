-- The OAuth client that we are to a server.
SELECT registration FROM mcp_servers WHERE id = $1
