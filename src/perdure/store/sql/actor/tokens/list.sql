-- One's own tokens.
SELECT t.id, t.name, t.hint, t.scopes, t.created_at, t.expires_at, t.used_at
FROM tokens t
JOIN users u ON u.id = t.user_id AND u.organisation_id = $2
WHERE t.user_id = $1
ORDER BY t.created_at, t.id
