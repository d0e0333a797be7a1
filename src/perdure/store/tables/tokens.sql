-- name: tokens.actor
-- Whose token this is, while it lasts; and whether its use was not noted for a minute. It reads alone: a standby answers it.
SELECT u.id AS user_id, u.organisation_id, u.role, coalesce(nullif(u.name, ''), split_part(u.email, '@', 1)) AS name, t.scopes,
    t.used_at IS NULL OR t.used_at < now() - interval '1 minute' AS unnoted
FROM tokens t
JOIN users u ON u.id = t.user_id
WHERE t.hash = $1 AND (t.expires_at IS NULL OR t.expires_at > now()) AND u.disabled_at IS NULL

-- name: tokens.note_use
-- A token was used now.
UPDATE tokens SET used_at = now() WHERE hash = $1

-- name: tokens.take
-- A token that was made for a program reaches it: the first time only.
UPDATE tokens SET used_at = now() WHERE hash = $1 AND used_at IS NULL AND (expires_at IS NULL OR expires_at > now())
RETURNING id

-- name: tokens.add
-- A token for somebody, made by whoever runs the deployment.
INSERT INTO tokens (user_id, hash, name, hint, scopes, expires_at)
SELECT u.id, $2, $3, $4, $5, now() + $6::interval FROM users u WHERE lower(u.email) = lower($1) AND u.disabled_at IS NULL
RETURNING id

-- name: tokens.listed
-- One's own tokens.
SELECT t.id, t.name, t.hint, t.scopes, t.created_at, t.expires_at, t.used_at
FROM tokens t
JOIN users u ON u.id = t.user_id AND u.organisation_id = $2
WHERE t.user_id = $1
ORDER BY t.created_at, t.id

-- name: tokens.add_own
-- A new token of one's own.
INSERT INTO tokens (user_id, hash, name, hint, scopes, expires_at)
SELECT u.id, $3, $4, $5, $6, now() + $7::interval
FROM users u
WHERE u.id = $1 AND u.organisation_id = $2
RETURNING id, name, hint, scopes, created_at, expires_at, used_at

-- name: tokens.delete
-- Revoke a token of one's own.
DELETE FROM tokens t USING users u
WHERE t.id = $3 AND t.user_id = $1 AND u.id = $1 AND u.organisation_id = $2
RETURNING t.id

-- name: tokens.forget_over
-- Forget tokens that have been over for so long that nobody asks why.
DELETE FROM tokens WHERE expires_at < now() - $1::interval
