-- Make a replica's slices smaller by what it used or gives back, where it still has them. The budgets are held.
WITH cut AS (
    UPDATE budget_slices s SET amount = s.amount - g.back
    FROM unnest($1::uuid[], $2::date[], $3::bigint[]) AS g (payer, month, back)
    WHERE s.payer = g.payer AND s.month = g.month AND s.replica_id = $4 AND s.amount >= g.back
    RETURNING s.payer, s.month, g.back
)
UPDATE budgets b SET held = b.held - cut.back FROM cut WHERE b.payer = cut.payer AND b.month = cut.month
