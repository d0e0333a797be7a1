-- Running workspaces that nobody has used for a while.
SELECT * FROM workspaces WHERE status = 'running' AND used_at < now() - $1::interval ORDER BY used_at LIMIT 100
