-- Keep the answer to a request whose work is done.
INSERT INTO idempotency_keys (caller, route, key, request_hash, answer)
SELECT u.id, $3, $4, $5, $6 FROM users u WHERE u.id = $1 AND u.organisation_id = $2
ON CONFLICT (caller, route, key) DO NOTHING
RETURNING key
