-- name: journal.start
-- Say that a call is about to run, while its runner still drives the chat. No row means that it does not.
INSERT INTO journal (chat_id, message, index, run, tool, effect, runner_id, incarnation)
SELECT c.id, $5, $6, $7, $8, $9, $3, $10
FROM chats c
WHERE c.id = $1 AND c.worker_id = $2 AND c.runner_id = $3 AND c.history_version = $4 AND c.status = $11
FOR SHARE
RETURNING 1

-- name: journal.enter
-- Note which incarnation of its workspace a run reached.
UPDATE journal SET incarnation = $6
WHERE chat_id = $1 AND message = $2 AND index = $3 AND run = $4 AND runner_id = $5

-- name: journal.hand
-- Note by what its executor hands a run back: from now on whoever takes over goes on with it.
UPDATE journal SET effect = 'keyed', handle = $6
WHERE chat_id = $1 AND message = $2 AND index = $3 AND run = $4 AND runner_id = $5 AND state = 'started'
RETURNING 1

-- name: journal.adopt
-- Take over a keyed run that another runner started: its executor hands back the same run.
UPDATE journal SET runner_id = $5
WHERE chat_id = $1 AND message = $2 AND index = $3 AND run = $4 AND state = 'started' AND effect = 'keyed'
RETURNING 1

-- name: journal.lose
-- Give up on a keyed run whose executor is gone: nobody hands it back, so it must not be repeated unasked.
UPDATE journal SET effect = 'once'
WHERE chat_id = $1 AND message = $2 AND index = $3 AND run = $4 AND runner_id = $5 AND state = 'started'
RETURNING 1

-- name: journal.finish
-- Keep a call's result, from the runner that started it, whoever drives the chat now.
UPDATE journal SET state = 'finished', result = $6, is_error = $7, finished_at = now()
WHERE chat_id = $1 AND message = $2 AND index = $3 AND run = $4 AND runner_id = $5 AND state = 'started'
RETURNING 1

-- name: journal.load
-- What is known about the calls of one message.
SELECT index, run, effect, state, runner_id, incarnation, result, is_error, handle
FROM journal WHERE chat_id = $1 AND message = $2

-- name: journal.before
-- What is known about the calls of all messages before one.
SELECT message, index, run, tool, state, handle
FROM journal WHERE chat_id = $1 AND message < $2

-- name: journal.failover
-- The snapshot that a message came with, and the last one that the chat had before the newest failover.
SELECT m.revision AS asked_in,
    CASE
        WHEN pg_is_in_recovery() THEN NULL
        WHEN c.line = current_line() THEN CASE WHEN c.earlier_lines[1] > 0 THEN c.last_snapshots[1] END
        WHEN c.line > 0 THEN c.snapshot_version
    END AS last_before
FROM chats c
JOIN messages m ON m.chat_id = c.id AND m.number = $2
WHERE c.id = $1

-- name: journal.restore
-- Say again that calls were started, where a failover lost that. Not of calls that the history has left behind.
INSERT INTO journal (chat_id, message, index, run, tool, effect, runner_id)
SELECT c.id, lost.message, lost.index, lost.run, lost.tool, 'once', lost.runner_id
FROM unnest($1::uuid[], $2::integer[], $3::integer[], $4::integer[], $5::text[], $6::uuid[])
    AS lost (chat_id, message, index, run, tool, runner_id)
JOIN chats c ON c.id = lost.chat_id AND c.last_assistant <= lost.message
ON CONFLICT DO NOTHING

-- name: journal.forget
-- Drop what is known about calls whose results are in the history, and say which those are. A failover may have lost a
-- result, or the call itself, after it was committed: what is known about such a call is still needed.
WITH done AS (
    SELECT asked.*
    FROM unnest($1::uuid[], $2::integer[], $3::integer[], $4::integer[]) AS asked (chat_id, message, index, run)
    JOIN chats c ON c.id = asked.chat_id AND c.next_message > asked.message
    WHERE c.last_assistant <> asked.message OR c.open_calls = '[]' OR NOT EXISTS (
        SELECT FROM jsonb_array_elements(c.open_calls::jsonb) AS open_call
        WHERE (open_call ->> 0)::integer = asked.index
    )
), dropped AS (
    DELETE FROM journal j USING done
    WHERE j.chat_id = done.chat_id AND j.message = done.message AND j.index = done.index
)
SELECT chat_id, message, index, run FROM done

-- name: journal.sweep
-- Drop what is known about calls that nobody can ask about any more.
DELETE FROM journal j USING chats c
WHERE c.id = j.chat_id AND j.message <> c.last_assistant AND coalesce(j.finished_at, j.started_at) < now() - $1::interval

-- name: journal.answered_late
-- Chats that ask what became of a call whose result came after all.
SELECT DISTINCT c.id AS chat_id
FROM chats c
JOIN journal j ON j.chat_id = c.id AND j.message = c.last_assistant
WHERE c.status = 'requires_action' AND c.action_deadline_at IS NOT NULL AND j.effect = 'once' AND j.state = 'finished'
