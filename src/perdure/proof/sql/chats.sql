-- Every chat as it stands, and whether its owner lives.
SELECT c.id, c.status, c.queue, c.archived, c.worker_id, c.open_calls, c.next_message, c.last_error,
    r.id IS NOT NULL AND r.seen_at > now() - interval '3 seconds' AS owner_lives
FROM chats c LEFT JOIN replicas r ON r.id = c.worker_id
