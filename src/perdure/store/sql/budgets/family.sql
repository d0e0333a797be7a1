-- What a chat's family may spend together, and what its other members have spent or set aside.
SELECT root.budget_limit,
    (
        SELECT coalesce(sum(c.budget_spent + c.budget_reserved), 0)
        FROM chat_cards k
        JOIN chats c ON c.id = k.id
        WHERE (k.id = root.id OR k.root_id = root.id) AND k.id <> $1
    )::bigint AS others
FROM chat_cards me
JOIN chats root ON root.id = coalesce(me.root_id, me.id)
WHERE me.id = $1
