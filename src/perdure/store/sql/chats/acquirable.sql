-- Chats that need a driver and have none, or one whose lease ran out by the database's clock; stopping ones first.
SELECT c.id, c.worker_id, c.status, d.owner_id, now() - coalesce(r.seen_at, c.updated_at) AS waited
FROM chats c
JOIN chat_cards d ON d.id = c.id
LEFT JOIN replicas r ON r.id = c.worker_id
WHERE c.status IN ('running', 'interrupting') AND (r.id IS NULL OR r.seen_at <= now() - $1::interval)
ORDER BY c.status = 'running', row_number() OVER (PARTITION BY d.owner_id ORDER BY c.updated_at), c.updated_at
LIMIT $2
