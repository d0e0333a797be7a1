-- What a chat and its descendants cost, by chat, model and purpose.
WITH RECURSIVE tree AS (
    SELECT $3::uuid AS id
    UNION ALL
    SELECT k.id FROM tree JOIN chat_cards k ON k.parent_id = tree.id
)
SELECT k.id AS chat_id, m.model, CASE m.role WHEN 'tool' THEN 'advisor' ELSE 'answer' END AS purpose,
    count(*) AS calls,
    coalesce(sum((m.answer::jsonb ->> 'cost')::bigint), 0)::bigint AS cost,
    count(*) FILTER (WHERE m.answer::jsonb ->> 'cost' IS NULL) AS unpriced_calls,
    coalesce(sum((m.answer::jsonb #>> '{usage,input}')::bigint), 0)::bigint AS input,
    coalesce(sum((m.answer::jsonb #>> '{usage,output}')::bigint), 0)::bigint AS output,
    coalesce(sum((m.answer::jsonb #>> '{usage,reasoning}')::bigint), 0)::bigint AS reasoning,
    coalesce(sum((m.answer::jsonb #>> '{usage,cache_read}')::bigint), 0)::bigint AS cache_read,
    coalesce(sum((m.answer::jsonb #>> '{usage,cache_write}')::bigint), 0)::bigint AS cache_write
FROM tree
JOIN chat_cards k ON k.id = tree.id
JOIN messages m ON m.chat_id = k.id
WHERE k.organisation_id = $2 AND may_read(k.id, k.root_id, k.owner_id, $1)
    AND m.role IN ('assistant', 'tool') AND m.answer IS NOT NULL
GROUP BY k.id, m.model, m.role
UNION ALL
SELECT k.id, NULL, 'words', k.words_calls, k.words_cost, k.words_unpriced, 0, 0, 0, 0, 0
FROM tree
JOIN chat_cards k ON k.id = tree.id
WHERE k.organisation_id = $2 AND may_read(k.id, k.root_id, k.owner_id, $1) AND k.words_calls > 0
ORDER BY 1, 2, 3
