-- name: turn_traces.claim
-- Say which trace a turn, or with a negative number a queued message, belongs to. Whoever says it first is right.
INSERT INTO turn_traces (chat_id, turn, traceparent)
VALUES ($1, $2, $3)
ON CONFLICT (chat_id, turn) DO UPDATE SET traceparent = turn_traces.traceparent
RETURNING traceparent, began_at

-- name: turn_traces.find
-- Which trace a turn or a queued message belongs to.
SELECT traceparent FROM turn_traces WHERE chat_id = $1 AND turn = $2

-- name: turn_traces.sweep
-- Forget the traces of turns that are long over.
DELETE FROM turn_traces WHERE began_at < now() - $1::interval
