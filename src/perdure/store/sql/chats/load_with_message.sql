-- A chat together with the live message that an edit means.
SELECT
    c.id, c.status, c.archived, c.worker_id, c.runner_id, c.last_error, c.retry_state, c.action, c.asks_owner,
    c.action_deadline_at, c.compaction_requested_at, c.budget_declined, c.turn, c.turn_began_at, c.continuing,
    c.newest_is_user, c.last_assistant, c.open_calls, c.queue, c.next_message, c.next_queued, c.file_count,
    c.made_file_count, c.budget_limit, c.budget_spent, c.budget_reserved, c.snapshot_version, c.history_version,
    c.queue_version, c.retry_version, c.generation_attempt, c.change_id, c.updated_at,
    m.number, m.role, m.visibility, m.model, m.effort
FROM chats c
LEFT JOIN messages m ON m.chat_id = c.id AND m.number = $2 AND m.hidden_in IS NULL
WHERE c.id = $1
