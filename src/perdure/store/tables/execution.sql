-- name: execution.load
-- The execution state of one chat.
SELECT
    id, status, archived, worker_id, runner_id, last_error, retry_state, action, asks_owner, action_deadline_at,
    compaction_requested_at, budget_declined, turn, turn_began_at, asked_by, stopped_by, continuing, newest_is_user, last_assistant,
    open_calls, queue, next_message, next_queued, file_count, made_file_count, budget_limit, budget_spent,
    budget_reserved, snapshot_version, history_version, queue_version, retry_version, generation_attempt, change_id,
    updated_at
FROM chats
WHERE id = $1

-- name: execution.hold
-- The execution state of one chat, held until the transaction ends.
SELECT
    id, status, archived, worker_id, runner_id, last_error, retry_state, action, asks_owner, action_deadline_at,
    compaction_requested_at, budget_declined, turn, turn_began_at, asked_by, stopped_by, continuing, newest_is_user, last_assistant,
    open_calls, queue, next_message, next_queued, file_count, made_file_count, budget_limit, budget_spent,
    budget_reserved, snapshot_version, history_version, queue_version, retry_version, generation_attempt, change_id,
    updated_at
FROM chats
WHERE id = $1
FOR NO KEY UPDATE

-- name: execution.load_after_failure
-- A chat after a commit whose outcome is unknown, and what of that change is there: its first message that was not
-- queued before, the queued number of what it sent, or its name among the newest changes that inserted nothing.
SELECT
    c.id, c.status, c.archived, c.worker_id, c.runner_id, c.last_error, c.retry_state, c.action, c.asks_owner,
    c.action_deadline_at, c.compaction_requested_at, c.budget_declined, c.turn, c.turn_began_at, c.asked_by, c.stopped_by, c.continuing,
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

-- name: execution.load_family
-- A root chat and all its descendants, whether each is a child, and whether it remembers this change.
SELECT
    c.id, c.status, c.archived, c.worker_id, c.runner_id, c.last_error, c.retry_state, c.action, c.asks_owner,
    c.action_deadline_at,
    c.compaction_requested_at, c.budget_declined, c.turn, c.turn_began_at, c.asked_by, c.stopped_by, c.continuing, c.newest_is_user,
    c.last_assistant, c.open_calls,
    c.queue, c.next_message, c.next_queued, c.file_count, c.made_file_count, c.budget_limit, c.budget_spent,
    c.budget_reserved, c.snapshot_version, c.history_version, c.queue_version, c.retry_version, c.generation_attempt,
    c.change_id, c.updated_at,
    d.parent_id IS NOT NULL AS child, $2 = ANY (c.recent_changes) AS remembered
FROM chat_cards d
JOIN chats c ON c.id = d.id
WHERE d.id = $1 OR d.root_id = $1
ORDER BY c.id

-- name: execution.load_with_message
-- A chat together with the live message that an edit means.
SELECT
    c.id, c.status, c.archived, c.worker_id, c.runner_id, c.last_error, c.retry_state, c.action, c.asks_owner,
    c.action_deadline_at, c.compaction_requested_at, c.budget_declined, c.turn, c.turn_began_at, c.asked_by, c.stopped_by, c.continuing,
    c.newest_is_user, c.last_assistant, c.open_calls, c.queue, c.next_message, c.next_queued, c.file_count,
    c.made_file_count, c.budget_limit, c.budget_spent, c.budget_reserved, c.snapshot_version, c.history_version,
    c.queue_version, c.retry_version, c.generation_attempt, c.change_id, c.updated_at,
    m.role, m.visibility, m.model, m.effort,
    ARRAY(
        SELECT DISTINCT s.created_by FROM messages s
        WHERE s.chat_id = c.id AND s.number >= $2 AND s.role = 'user' AND s.kind = 'ordinary' AND s.hidden_in IS NULL
    ) AS authors,
    ARRAY(
        SELECT q.number FROM queued_messages q WHERE q.chat_id = c.id AND q.removed_in IS NULL ORDER BY q.number
    ) AS waiting,
    ARRAY(
        SELECT q.created_by FROM queued_messages q WHERE q.chat_id = c.id AND q.removed_in IS NULL ORDER BY q.number
    ) AS waiting_by
FROM chats c
LEFT JOIN messages m ON m.chat_id = c.id AND m.number = $2 AND m.hidden_in IS NULL
WHERE c.id = $1

-- name: execution.archive_family
-- Put a family away or bring it back: all of its members, if each is still as it was seen, or none.
WITH held AS MATERIALIZED (
    SELECT c.id
    FROM unnest($1::uuid[], $2::bigint[]) AS seen (id, snapshot_version)
    JOIN chats c ON c.id = seen.id AND c.snapshot_version = seen.snapshot_version
    ORDER BY c.id
    FOR NO KEY UPDATE OF c
),
moved AS (
    UPDATE chats c
    SET archived = $3, snapshot_version = c.snapshot_version + 1, change_id = $4, updated_at = now(),
        recent_changes = (array_prepend($4, c.recent_changes))[1:8]
    FROM held
    WHERE c.id = held.id AND (SELECT count(*) FROM held) = cardinality($1::uuid[])
    RETURNING c.id, c.updated_at
),
carded AS (
    UPDATE chat_cards d
    SET pin = CASE WHEN $3 THEN 0 ELSE d.pin END, metadata_version = d.metadata_version + 1
    FROM moved
    WHERE d.id = moved.id
)
SELECT id, updated_at FROM moved
