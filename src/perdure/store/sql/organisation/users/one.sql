-- One person of an organisation.
SELECT u.id, u.email, u.name, u.role, u.disabled_at IS NOT NULL AS disabled, u.created_at
FROM users u
WHERE u.organisation_id = $1 AND u.id = $2
