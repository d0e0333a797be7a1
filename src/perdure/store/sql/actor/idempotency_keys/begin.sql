-- Claim a key within a transaction. Whoever comes second waits here for the first to end.
INSERT INTO idempotency_keys (caller, route, key, request_hash, answer)
SELECT u.id, $3, $4, $5, '' FROM users u WHERE u.id = $1 AND u.organisation_id = $2
ON CONFLICT (caller, route, key) DO NOTHING
RETURNING key
