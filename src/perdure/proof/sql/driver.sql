-- The database user of the replica that drives a chat.
SELECT r.writer FROM chats c JOIN chaos_replicas r ON r.id = c.worker_id WHERE c.id = $1
