-- Keep a secret of the deployment, unless there is one already.
INSERT INTO deployment_secrets (name, secret) VALUES ($1, $2) ON CONFLICT DO NOTHING
