-- Every piece of an answer in flight that was stored, in order.
SELECT chat_id, history, attempt, seq_from, seq_to, extract(epoch FROM at)::float8 AS at
FROM chaos_stored ORDER BY chat_id, history, attempt, at, seq_from
