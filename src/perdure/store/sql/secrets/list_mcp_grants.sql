-- Every sealed secret of mcp_grants.
SELECT secret FROM mcp_grants WHERE secret IS NOT NULL
