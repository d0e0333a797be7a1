-- Remember the OAuth client that we are to a server.
UPDATE mcp_servers SET registration = $2 WHERE id = $1
