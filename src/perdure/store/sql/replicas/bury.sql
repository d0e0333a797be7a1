-- Forget replicas that have been silent for long and drive nothing.
DELETE FROM replicas r WHERE r.seen_at < now() - $1::interval
AND NOT EXISTS (SELECT FROM chats c WHERE c.worker_id = r.id AND c.status IN ('running', 'interrupting'))
