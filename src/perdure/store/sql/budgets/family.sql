-- What a chat's family may spend together, what its other members have spent or set aside, and what it cost itself.
SELECT root.budget_limit,
    me.cost + me.words_cost AS own,
    (
        SELECT coalesce(sum(greatest(c.budget_spent, k.cost) + k.words_cost + c.budget_reserved), 0)
        FROM chat_cards k
        JOIN chats c ON c.id = k.id
        WHERE (k.id = root.id OR k.root_id = root.id) AND k.id <> $1
    )::bigint AS others
FROM chat_cards me
JOIN chats root ON root.id = coalesce(me.root_id, me.id)
WHERE me.id = $1
