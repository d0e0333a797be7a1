-- Count what payers have spent. In order, so that two replicas never wait for each other.
INSERT INTO budgets AS b (payer, month, spent)
SELECT g.payer, g.month, g.spent FROM unnest($1::uuid[], $2::date[], $3::bigint[]) AS g (payer, month, spent)
ORDER BY g.payer, g.month
ON CONFLICT (payer, month) DO UPDATE SET spent = b.spent + excluded.spent
