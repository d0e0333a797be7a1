-- The stored pieces of several episodes, each after a part's number, in order.
SELECT s.chat_id, s.history_version, s.attempt, s.seq_from, s.seq_to, s.content
FROM unnest($1::uuid[], $2::bigint[], $3::integer[], $4::integer[]) AS k (chat_id, history_version, attempt, after)
JOIN segments s ON (s.chat_id, s.history_version, s.attempt) = (k.chat_id, k.history_version, k.attempt)
WHERE s.seq_to > k.after
ORDER BY s.chat_id, s.seq_from
