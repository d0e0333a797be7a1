-- name: usage.mine
-- What somebody used from $3 to $4, by model, day or chat ($5).
SELECT CASE $5::text WHEN 'user' THEN u.email WHEN 'model' THEN coalesce(m.model, '') WHEN 'chat' THEN root.title
        ELSE to_char(m.created_at AT TIME ZONE 'UTC', 'YYYY-MM-DD') END AS name,
    CASE WHEN $5::text = 'chat' THEN coalesce(k.root_id, k.id) END AS chat_id,
    count(*) AS calls,
    coalesce(sum((m.answer::jsonb ->> 'cost')::bigint), 0)::bigint AS cost,
    count(*) FILTER (WHERE m.answer::jsonb ->> 'cost' IS NULL) AS unpriced_calls,
    coalesce(sum((m.answer::jsonb #>> '{usage,input}')::bigint), 0)::bigint AS input,
    coalesce(sum((m.answer::jsonb #>> '{usage,output}')::bigint), 0)::bigint AS output
FROM messages m
JOIN chat_cards k ON k.id = m.chat_id
JOIN users u ON u.id = k.owner_id
JOIN chat_cards root ON root.id = coalesce(k.root_id, k.id)
WHERE k.organisation_id = $2 AND k.owner_id = $1 AND m.created_at >= $3 AND m.created_at < $4
    AND m.role IN ('assistant', 'tool') AND m.answer IS NOT NULL
GROUP BY 1, 2
ORDER BY 1, 2

-- name: usage.of_organisation
-- What an organisation used from $2 to $3, by user, model, day or chat ($4). Titles are their owners'.
SELECT CASE $4::text WHEN 'user' THEN u.email WHEN 'model' THEN coalesce(m.model, '') WHEN 'chat' THEN u.email
        ELSE to_char(m.created_at AT TIME ZONE 'UTC', 'YYYY-MM-DD') END AS name,
    CASE WHEN $4::text = 'chat' THEN coalesce(k.root_id, k.id) END AS chat_id,
    count(*) AS calls,
    coalesce(sum((m.answer::jsonb ->> 'cost')::bigint), 0)::bigint AS cost,
    count(*) FILTER (WHERE m.answer::jsonb ->> 'cost' IS NULL) AS unpriced_calls,
    coalesce(sum((m.answer::jsonb #>> '{usage,input}')::bigint), 0)::bigint AS input,
    coalesce(sum((m.answer::jsonb #>> '{usage,output}')::bigint), 0)::bigint AS output
FROM messages m
JOIN chat_cards k ON k.id = m.chat_id
JOIN users u ON u.id = k.owner_id
WHERE k.organisation_id = $1 AND m.created_at >= $2 AND m.created_at < $3
    AND m.role IN ('assistant', 'tool') AND m.answer IS NOT NULL
GROUP BY 1, 2
ORDER BY 1, 2
