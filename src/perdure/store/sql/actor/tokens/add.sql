-- A new token of one's own.
INSERT INTO tokens (user_id, hash, name, hint, scopes, expires_at)
SELECT u.id, $3, $4, $5, $6, now() + $7::interval
FROM users u
WHERE u.id = $1 AND u.organisation_id = $2
RETURNING id, name, hint, scopes, created_at, expires_at, used_at
