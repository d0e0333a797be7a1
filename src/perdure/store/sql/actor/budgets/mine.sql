-- What somebody has spent in a month, and what is set aside for calls of theirs.
SELECT b.spent, b.held
FROM users u
JOIN budgets b ON b.payer = u.id AND b.month = $3
WHERE u.id = $1 AND u.organisation_id = $2
