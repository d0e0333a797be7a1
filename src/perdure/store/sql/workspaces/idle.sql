-- Running workspaces that nobody has used for as long as they may stand idle. One that a call is under way in is used.
SELECT * FROM workspaces w
WHERE w.status = 'running' AND w.used_at < now() - make_interval(mins => w.ttl_minutes)
    AND NOT EXISTS (
        SELECT FROM chat_cards c JOIN journal j ON j.chat_id = c.id
        WHERE c.workspace_id = w.id AND j.state = 'started' AND j.effect = 'keyed' AND j.started_at > now() - $1::interval
    )
ORDER BY w.used_at LIMIT 100
