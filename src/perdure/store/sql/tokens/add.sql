-- A token for somebody, made by whoever runs the deployment.
INSERT INTO tokens (user_id, hash, name, hint, scopes, expires_at)
SELECT u.id, $2, $3, $4, $5, now() + $6::interval FROM users u WHERE lower(u.email) = lower($1) AND u.disabled_at IS NULL
RETURNING id
