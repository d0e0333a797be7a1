-- The first answer to a request with this key. One that is too old is forgotten on the way.
WITH old AS (
    DELETE FROM idempotency_keys k
    WHERE k.caller = $1 AND k.route = $3 AND k.key = $4 AND k.created_at <= now() - $5::interval
)
SELECT k.request_hash, k.answer
FROM idempotency_keys k
JOIN users u ON u.id = k.caller AND u.organisation_id = $2
WHERE k.caller = $1 AND k.route = $3 AND k.key = $4 AND k.created_at > now() - $5::interval
