-- The people of one's own organisation.
SELECT u.id, u.email, u.name, u.role, u.disabled_at IS NOT NULL AS disabled, u.created_at
FROM users u
JOIN users me ON me.id = $1 AND me.organisation_id = u.organisation_id
WHERE u.organisation_id = $2
ORDER BY u.created_at, u.id
