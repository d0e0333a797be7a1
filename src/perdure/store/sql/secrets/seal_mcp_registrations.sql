-- Seal an OAuth client that we are to an MCP server anew, if nobody changed it meanwhile.
UPDATE mcp_servers SET registration = $2 WHERE registration = $1
