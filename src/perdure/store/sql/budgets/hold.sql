-- A payer's budget of a month, held until the transaction ends.
INSERT INTO budgets AS b (payer, month) VALUES ($1, $2)
ON CONFLICT (payer, month) DO UPDATE SET spent = b.spent
RETURNING b.spent, b.held
