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
