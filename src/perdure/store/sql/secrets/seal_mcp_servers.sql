-- Seal a secret of mcp_servers anew, if nobody changed it meanwhile.
UPDATE mcp_servers SET secret = $2 WHERE secret = $1
