-- name: secrets.read
-- A secret of the deployment.
SELECT secret FROM deployment_secrets WHERE name = $1

-- name: secrets.keep
-- Keep a secret of the deployment, unless there is one already.
INSERT INTO deployment_secrets (name, secret) VALUES ($1, $2) ON CONFLICT DO NOTHING

-- name: secrets.list_deployment_secrets
-- Every sealed secret of deployment_secrets.
SELECT secret FROM deployment_secrets WHERE secret IS NOT NULL

-- name: secrets.list_hooks
-- Every sealed secret of hooks.
SELECT secret FROM hooks WHERE secret IS NOT NULL

-- name: secrets.list_login_services
-- Every sealed secret of login_services.
SELECT secret FROM login_services WHERE secret IS NOT NULL

-- name: secrets.list_mcp_grants
-- Every sealed secret of mcp_grants.
SELECT secret FROM mcp_grants WHERE secret IS NOT NULL

-- name: secrets.list_mcp_registrations
-- Every sealed OAuth client that we are to an MCP server.
SELECT registration AS secret FROM mcp_servers WHERE registration IS NOT NULL

-- name: secrets.list_mcp_servers
-- Every sealed secret of mcp_servers.
SELECT secret FROM mcp_servers WHERE secret IS NOT NULL

-- name: secrets.list_network_secrets
-- Every sealed secret of network_secrets.
SELECT secret FROM network_secrets

-- name: secrets.list_own_network_secrets
-- Every sealed secret of own_network_secrets.
SELECT secret FROM own_network_secrets

-- name: secrets.list_provider_keys
-- Every sealed secret of provider_keys.
SELECT secret FROM provider_keys WHERE secret IS NOT NULL

-- name: secrets.list_triggers
-- Every sealed secret of triggers.
SELECT secret FROM triggers WHERE secret IS NOT NULL

-- name: secrets.list_webhooks
-- Every sealed secret of webhooks.
SELECT secret FROM webhooks WHERE secret IS NOT NULL

-- name: secrets.seal_deployment_secrets
-- Seal a secret of deployment_secrets anew, if nobody changed it meanwhile.
UPDATE deployment_secrets SET secret = $2 WHERE secret = $1

-- name: secrets.seal_hooks
-- Seal a secret of hooks anew, if nobody changed it meanwhile.
UPDATE hooks SET secret = $2 WHERE secret = $1

-- name: secrets.seal_login_services
-- Seal a secret of login_services anew, if nobody changed it meanwhile.
UPDATE login_services SET secret = $2 WHERE secret = $1

-- name: secrets.seal_mcp_grants
-- Seal a secret of mcp_grants anew, if nobody changed it meanwhile.
UPDATE mcp_grants SET secret = $2 WHERE secret = $1

-- name: secrets.seal_mcp_registrations
-- Seal an OAuth client that we are to an MCP server anew, if nobody changed it meanwhile.
UPDATE mcp_servers SET registration = $2 WHERE registration = $1

-- name: secrets.seal_mcp_servers
-- Seal a secret of mcp_servers anew, if nobody changed it meanwhile.
UPDATE mcp_servers SET secret = $2 WHERE secret = $1

-- name: secrets.seal_network_secrets
-- Seal a secret of network_secrets anew, if nobody changed it meanwhile.
UPDATE network_secrets SET secret = $2 WHERE secret = $1

-- name: secrets.seal_own_network_secrets
-- Seal a secret of own_network_secrets anew, if nobody changed it meanwhile.
UPDATE own_network_secrets SET secret = $2 WHERE secret = $1

-- name: secrets.seal_provider_keys
-- Seal a secret of provider_keys anew, if nobody changed it meanwhile.
UPDATE provider_keys SET secret = $2 WHERE secret = $1

-- name: secrets.seal_triggers
-- Seal a secret of triggers anew, if nobody changed it meanwhile.
UPDATE triggers SET secret = $2 WHERE secret = $1

-- name: secrets.seal_webhooks
-- Seal a secret of webhooks anew, if nobody changed it meanwhile.
UPDATE webhooks SET secret = $2 WHERE secret = $1
