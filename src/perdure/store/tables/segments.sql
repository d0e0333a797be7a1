-- name: segments.load
-- The stored pieces of one episode after a part's number, in order.
SELECT seq_from, seq_to, content
FROM segments
WHERE chat_id = $1 AND history_version = $2 AND attempt = $3 AND seq_to > $4
ORDER BY seq_from

-- name: segments.load_many
-- The stored pieces of several episodes, each after a part's number, in order.
SELECT s.chat_id, s.history_version, s.attempt, s.seq_from, s.seq_to, s.content
FROM unnest($1::uuid[], $2::bigint[], $3::integer[], $4::integer[]) AS k (chat_id, history_version, attempt, after)
JOIN segments s ON (s.chat_id, s.history_version, s.attempt) = (k.chat_id, k.history_version, k.attempt)
WHERE s.seq_to > k.after
ORDER BY s.chat_id, s.seq_from

-- name: segments.sweep
-- Drop pieces that no chat can need any more: its history or its attempt passed them, it rests, or it is gone.
DELETE FROM segments s
WHERE s.created_at < now() - $1::interval
    AND NOT EXISTS (
        SELECT FROM chats c
        WHERE c.id = s.chat_id
            AND (c.history_version, c.generation_attempt) = (s.history_version, s.attempt)
            AND c.status IN ('running', 'interrupting')
    )

-- name: segments.write
-- Store what is new in all open episodes, and drop what belongs to closed ones whose chat has moved on.
WITH gone AS (
    DELETE FROM segments s
    USING unnest($7::uuid[], $8::bigint[], $9::integer[]) AS k (chat_id, history_version, attempt), chats c
    WHERE (s.chat_id, s.history_version, s.attempt) = (k.chat_id, k.history_version, k.attempt)
        AND c.id = s.chat_id
        AND (
            (c.history_version, c.generation_attempt) <> (s.history_version, s.attempt)
            OR c.status NOT IN ('running', 'interrupting')
        )
    RETURNING s.chat_id, s.history_version, s.attempt
),
stored AS (
    INSERT INTO segments (chat_id, history_version, attempt, seq_from, seq_to, content)
    SELECT * FROM unnest($1::uuid[], $2::bigint[], $3::integer[], $4::integer[], $5::integer[], $6::text[])
    -- The same piece may come again, and longer, after a write whose answer got lost.
    ON CONFLICT (chat_id, history_version, attempt, seq_from) DO UPDATE
    SET seq_to = excluded.seq_to, content = excluded.content
    WHERE excluded.seq_to > segments.seq_to
)
SELECT DISTINCT chat_id, history_version, attempt FROM gone
