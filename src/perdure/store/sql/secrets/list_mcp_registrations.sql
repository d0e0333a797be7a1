-- Every sealed OAuth client that we are to an MCP server.
SELECT registration AS secret FROM mcp_servers WHERE registration IS NOT NULL
