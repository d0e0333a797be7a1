-- Chats that a replica owns which has not been seen for a minute.
SELECT chats.id AS chat_id, format('owned by replica %s, last seen %s', worker_id, coalesce(seen_at::text, 'never')) AS detail
FROM chats LEFT JOIN replicas ON replicas.id = worker_id
WHERE worker_id IS NOT NULL AND coalesce(seen_at, '-infinity') < now() - interval '1 minute'
LIMIT $1
