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
