-- Chats that should be driven and were left alone for a minute although a replica is there.
SELECT id AS chat_id, format('%s since %s without an owner', status, updated_at) AS detail
FROM chats
WHERE status IN ('running', 'interrupting')
  AND worker_id IS NULL
  AND updated_at < now() - interval '1 minute'
  AND EXISTS (SELECT 1 FROM replicas WHERE capacity > 0 AND seen_at > now() - interval '1 minute')
LIMIT $1
