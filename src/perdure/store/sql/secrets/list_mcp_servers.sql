-- Every sealed secret of mcp_servers.
SELECT secret FROM mcp_servers WHERE secret IS NOT NULL
