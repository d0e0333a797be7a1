-- A root and all below it: where each stands, what its card says it cost, and what its answers cost together.
SELECT k.id, c.status, c.worker_id IS NOT NULL AS owned, k.cost,
    (
        SELECT coalesce(sum((m.answer::jsonb ->> 'cost')::bigint), 0)::bigint FROM messages m WHERE m.chat_id = k.id
    ) AS paid
FROM chat_cards k
JOIN chats c ON c.id = k.id
WHERE k.id = $1 OR k.root_id = $1
ORDER BY k.parent_id NULLS FIRST, k.created_at
