-- Chats whose status, queue and archive flag are in no valid combination.
SELECT id AS chat_id, format('status %s, %s queued, archived %s', status, cardinality(queue), archived) AS detail
FROM chats
WHERE status NOT IN ('waiting', 'running', 'interrupting', 'requires_action', 'error')
   OR (archived AND status NOT IN ('waiting', 'error'))
   OR (status = 'waiting' AND cardinality(queue) > 0)
LIMIT $1
