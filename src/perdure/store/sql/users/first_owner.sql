-- Whoever runs the deployment, and whether anybody can sign in without a link.
SELECT u.id,
    EXISTS (SELECT FROM users p WHERE p.password_hash IS NOT NULL AND p.disabled_at IS NULL)
    OR EXISTS (SELECT FROM identities) AS reachable
FROM users u
WHERE u.role = 'owner' AND u.disabled_at IS NULL
ORDER BY u.created_at, u.id
LIMIT 1
