-- A secret of the deployment.
SELECT secret FROM deployment_secrets WHERE name = $1
