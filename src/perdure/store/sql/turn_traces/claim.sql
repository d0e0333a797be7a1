-- Say which trace a turn, or with a negative number a queued message, belongs to. Whoever says it first is right.
INSERT INTO turn_traces (chat_id, turn, traceparent)
VALUES ($1, $2, $3)
ON CONFLICT (chat_id, turn) DO UPDATE SET traceparent = turn_traces.traceparent
RETURNING traceparent, began_at
