-- Everybody's workspaces, those used last first.
SELECT w.id, w.status, w.template, w.used_at, u.email
FROM workspaces w JOIN users u ON u.id = w.owner_id
ORDER BY w.used_at DESC
LIMIT 1000
