-- What an organisation and each of its people have spent in a month; the organisation's own row has no user.
SELECT u.id AS user_id, u.email, coalesce(b.spent, 0) AS spent, coalesce(b.held, 0) AS held
FROM (
    SELECT id, id AS payer, email, created_at FROM users WHERE organisation_id = $1
    UNION ALL
    SELECT NULL, $1, '', NULL
) AS u
LEFT JOIN budgets b ON b.payer = u.payer AND b.month = $2
ORDER BY u.created_at NULLS FIRST, u.id
