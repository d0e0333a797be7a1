-- A chat after a commit whose outcome is unknown, and what of that change is there: its first message that was not
-- queued before, the queued number of what it sent, or its name among the newest changes that inserted nothing.
SELECT
    c.id, c.status, c.archived, c.worker_id, c.runner_id, c.last_error, c.retry_state, c.action, c.asks_owner,
    c.action_deadline_at, c.compaction_requested_at, c.budget_declined, c.turn, c.turn_began_at, c.continuing,
    c.newest_is_user, c.last_assistant, c.open_calls, c.queue, c.next_message, c.next_queued, c.file_count,
    c.made_file_count, c.budget_limit, c.budget_spent, c.budget_reserved, c.snapshot_version, c.history_version,
    c.queue_version, c.retry_version, c.generation_attempt, c.change_id, c.updated_at,
    (
        SELECT min(m.number) FROM messages m
        WHERE m.chat_id = c.id AND m.number >= $3 AND m.change_id = $2 AND m.queued_as IS NULL
    ) AS message,
    least(
        (SELECT min(q.number) FROM queued_messages q WHERE q.chat_id = c.id AND q.number >= $4 AND q.change_id = $2),
        (SELECT min(m.queued_as) FROM messages m WHERE m.chat_id = c.id AND m.number >= $3 AND m.change_id = $2)
    ) AS queued,
    c.change_id IS NOT DISTINCT FROM $2 OR $2 = ANY (c.recent_changes) AS remembered
FROM chats c
WHERE c.id = $1
