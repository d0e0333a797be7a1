-- Forget tokens that are of no use any more.
DELETE FROM mcp_grants WHERE server_id = $1 AND user_id = $2
