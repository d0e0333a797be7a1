-- A root chat and all its descendants, whether each is a child, and whether it remembers this change.
SELECT
    c.id, c.status, c.archived, c.worker_id, c.runner_id, c.last_error, c.retry_state, c.action, c.asks_owner,
    c.action_deadline_at,
    c.compaction_requested_at, c.budget_declined, c.turn, c.turn_began_at, c.continuing, c.newest_is_user,
    c.last_assistant, c.open_calls,
    c.queue, c.next_message, c.next_queued, c.file_count, c.made_file_count, c.budget_limit, c.budget_spent,
    c.budget_reserved, c.snapshot_version, c.history_version, c.queue_version, c.retry_version, c.generation_attempt,
    c.change_id, c.updated_at,
    d.parent_id IS NOT NULL AS child, $2 = ANY (c.recent_changes) AS remembered
FROM chat_cards d
JOIN chats c ON c.id = d.id
WHERE d.id = $1 OR d.root_id = $1
ORDER BY c.id
