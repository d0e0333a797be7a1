-- The execution state of one chat, held until the transaction ends.
SELECT
    id, status, archived, worker_id, runner_id, last_error, retry_state, action, asks_owner, action_deadline_at,
    compaction_requested_at, budget_declined, turn, turn_began_at, continuing, newest_is_user, last_assistant,
    open_calls, queue, next_message, next_queued, file_count, made_file_count, budget_limit, budget_spent,
    budget_reserved, snapshot_version, history_version, queue_version, retry_version, generation_attempt, change_id,
    updated_at
FROM chats
WHERE id = $1
FOR NO KEY UPDATE
