-- Everybody in the deployment.
SELECT u.email, u.name, u.role, u.disabled_at IS NOT NULL AS disabled, o.name AS organisation
FROM users u JOIN organisations o ON o.id = u.organisation_id
ORDER BY u.created_at, u.id
