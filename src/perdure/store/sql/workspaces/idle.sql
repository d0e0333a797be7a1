-- Running workspaces that nobody has used for as long as they may stand idle.
SELECT * FROM workspaces
WHERE status = 'running' AND used_at < now() - make_interval(mins => ttl_minutes)
ORDER BY used_at LIMIT 100
