-- Which trace a turn or a queued message belongs to.
SELECT traceparent FROM turn_traces WHERE chat_id = $1 AND turn = $2
