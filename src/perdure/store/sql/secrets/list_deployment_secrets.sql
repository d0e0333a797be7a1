-- Every sealed secret of deployment_secrets.
SELECT secret FROM deployment_secrets WHERE secret IS NOT NULL
