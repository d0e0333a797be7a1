-- name: idempotency_keys.begin
-- Claim a key within a transaction. Whoever comes second waits here for the first to end.
INSERT INTO idempotency_keys (caller, route, key, request_hash, answer)
SELECT u.id, $3, $4, $5, '' FROM users u WHERE u.id = $1 AND u.organisation_id = $2
ON CONFLICT (caller, route, key) DO NOTHING
RETURNING key

-- name: idempotency_keys.keep
-- Keep the answer to a claimed key.
UPDATE idempotency_keys k SET answer = $5
FROM users u
WHERE u.id = $1 AND u.organisation_id = $2 AND k.caller = $1 AND k.route = $3 AND k.key = $4

-- name: idempotency_keys.kept
-- The first answer to a request with this key. One that is too old is forgotten on the way.
WITH old AS (
    DELETE FROM idempotency_keys k
    WHERE k.caller = $1 AND k.route = $3 AND k.key = $4 AND k.created_at <= now() - $5::interval
)
SELECT k.request_hash, k.answer
FROM idempotency_keys k
JOIN users u ON u.id = k.caller AND u.organisation_id = $2
WHERE k.caller = $1 AND k.route = $3 AND k.key = $4 AND k.created_at > now() - $5::interval

-- name: idempotency_keys.note
-- Keep the answer to a request whose work is done.
INSERT INTO idempotency_keys (caller, route, key, request_hash, answer)
SELECT u.id, $3, $4, $5, $6 FROM users u WHERE u.id = $1 AND u.organisation_id = $2
ON CONFLICT (caller, route, key) DO NOTHING

-- name: idempotency_keys.forget_old
-- Forget the answers of requests that may not be repeated any more.
DELETE FROM idempotency_keys WHERE created_at < now() - $1::interval
