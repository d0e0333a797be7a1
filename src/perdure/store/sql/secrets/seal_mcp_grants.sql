-- Seal a secret of mcp_grants anew, if nobody changed it meanwhile.
UPDATE mcp_grants SET secret = $2 WHERE secret = $1
