-- The chats that a replica drives now, by the database user it connects as.
SELECT c.id FROM chats c JOIN chaos_replicas r ON r.id = c.worker_id
WHERE r.writer = $1 AND c.status = 'running' AND c.retry_state IS NULL
