-- name: budgets.mine
-- What somebody has spent in a month, and what is set aside for calls of theirs.
SELECT b.spent, b.held
FROM users u
JOIN budgets b ON b.payer = u.id AND b.month = $3
WHERE u.id = $1 AND u.organisation_id = $2

-- name: budgets.of_organisation
-- What an organisation and each of its people have spent in a month; the organisation's own row has no user.
SELECT u.id AS user_id, u.email, coalesce(b.spent, 0) AS spent, coalesce(b.held, 0) AS held
FROM (
    SELECT id, id AS payer, email, created_at FROM users WHERE organisation_id = $1
    UNION ALL
    SELECT NULL, $1, '', NULL
) AS u
LEFT JOIN budgets b ON b.payer = u.payer AND b.month = $2
ORDER BY u.created_at NULLS FIRST, u.id

-- name: budgets.family
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

-- name: budgets.hold
-- A payer's budget of a month, held until the transaction ends.
INSERT INTO budgets AS b (payer, month) VALUES ($1, $2)
ON CONFLICT (payer, month) DO UPDATE SET spent = b.spent
RETURNING b.spent, b.held

-- name: budgets.mark
-- Note that a replica counts this batch of spending; nothing comes back where that is done already.
INSERT INTO settled AS s (replica_id, batch) VALUES ($1, $2)
ON CONFLICT (replica_id) DO UPDATE SET batch = excluded.batch, settled_at = now() WHERE s.batch <> excluded.batch
RETURNING batch

-- name: budgets.reclaim
-- Give back what replicas had set aside that live no longer. The budget is held.
WITH gone AS (
    DELETE FROM budget_slices s
    WHERE s.payer = $1 AND s.month = $2
        AND NOT EXISTS (SELECT FROM replicas r WHERE r.id = s.replica_id AND r.seen_at > now() - $3::interval)
    RETURNING s.amount
)
UPDATE budgets SET held = held - (SELECT coalesce(sum(amount), 0) FROM gone)
WHERE payer = $1 AND month = $2
RETURNING spent, held

-- name: budgets.shrink
-- Make a replica's slices smaller by what it used or gives back, where it still has them. The budgets are held.
WITH cut AS (
    UPDATE budget_slices s SET amount = s.amount - g.back
    FROM unnest($1::uuid[], $2::date[], $3::bigint[]) AS g (payer, month, back)
    WHERE s.payer = g.payer AND s.month = g.month AND s.replica_id = $4 AND s.amount >= g.back
    RETURNING s.payer, s.month, g.back
)
UPDATE budgets b SET held = b.held - cut.back FROM cut WHERE b.payer = cut.payer AND b.month = cut.month

-- name: budgets.spend
-- Count what payers have spent. In order, so that two replicas never wait for each other.
INSERT INTO budgets AS b (payer, month, spent)
SELECT g.payer, g.month, g.spent FROM unnest($1::uuid[], $2::date[], $3::bigint[]) AS g (payer, month, spent)
ORDER BY g.payer, g.month
ON CONFLICT (payer, month) DO UPDATE SET spent = b.spent + excluded.spent

-- name: budgets.take
-- Set a slice aside for a replica. The budget is held.
WITH sliced AS (
    INSERT INTO budget_slices AS s (payer, month, replica_id, amount) VALUES ($1, $2, $3, $4)
    ON CONFLICT (payer, month, replica_id) DO UPDATE SET amount = s.amount + excluded.amount
)
UPDATE budgets SET held = held + $4 WHERE payer = $1 AND month = $2

-- name: budgets.waiting
-- Chats that wait for a budget that is not their own, with who pays and since when.
SELECT c.id, c.action, c.updated_at, coalesce(c.asked_by, k.owner_id) AS payer, k.organisation_id
FROM chats c
JOIN chat_cards k ON k.id = c.id
WHERE c.status = 'requires_action' AND coalesce(c.action_kind, c.action::jsonb ->> 'kind') = 'budget'
    AND c.action::jsonb ->> 'budget' <> 'chat'

-- name: budgets.forget_settled
-- Forget what was counted last by replicas that have not counted anything since.
DELETE FROM settled WHERE settled_at < now() - $1::interval
