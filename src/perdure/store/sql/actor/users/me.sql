-- Oneself.
SELECT u.id, u.email, u.name, u.role, u.organisation_id, u.preferences, u.password_hash IS NOT NULL AS has_password
FROM users u
WHERE u.id = $1 AND u.organisation_id = $2
