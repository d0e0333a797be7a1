-- Keep the answer to a claimed key.
UPDATE idempotency_keys k SET answer = $5
FROM users u
WHERE u.id = $1 AND u.organisation_id = $2 AND k.caller = $1 AND k.route = $3 AND k.key = $4
RETURNING k.key
