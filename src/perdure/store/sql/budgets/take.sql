-- Set a slice aside for a replica. The budget is held.
WITH sliced AS (
    INSERT INTO budget_slices AS s (payer, month, replica_id, amount) VALUES ($1, $2, $3, $4)
    ON CONFLICT (payer, month, replica_id) DO UPDATE SET amount = s.amount + excluded.amount
)
UPDATE budgets SET held = held + $4 WHERE payer = $1 AND month = $2
