-- name: hooks.listed
-- The hooks of an organisation, oldest first.
SELECT id, options, secret FROM hooks WHERE organisation_id = $1 ORDER BY created_at, id

-- name: hooks.add
-- A new hook: $2 options, $3 its secret.
INSERT INTO hooks (organisation_id, options, secret) VALUES ($1, $2, $3) RETURNING id, options, secret

-- name: hooks.change
-- Change a hook: $3 options, $4 its secret. Null leaves the secret as it is.
UPDATE hooks h SET options = $3, secret = coalesce($4, h.secret)
WHERE h.organisation_id = $1 AND h.id = $2
RETURNING h.id, h.options, h.secret

-- name: hooks.delete
-- Remove a hook with its log.
DELETE FROM hooks h WHERE h.organisation_id = $1 AND h.id = $2 RETURNING h.id

-- name: hooks.deliveries
-- What a hook was asked and what it answered, newest first: before $3, at most $4.
SELECT d.id, d.dispatch_id, d.event, d.chat_id, d.outcome, d.status, d.attempts, d.duration_ms, d.detail, d.created_at
FROM hook_deliveries d
JOIN hooks h ON h.id = d.hook_id
WHERE h.organisation_id = $1 AND h.id = $2 AND ($3::bigint IS NULL OR d.id < $3)
ORDER BY d.id DESC
LIMIT $4

-- name: hooks.delivered
-- Note what a hook was asked and what it answered. A hook that was removed meanwhile leaves no line.
INSERT INTO hook_deliveries (hook_id, dispatch_id, event, chat_id, outcome, status, attempts, duration_ms, detail)
SELECT h.id, $2, $3, $4, $5, $6, $7, $8, $9 FROM hooks h WHERE h.id = $1

-- name: hooks.purge
-- Throw away the oldest part of the log.
DELETE FROM hook_deliveries WHERE created_at < now() - $1::interval
