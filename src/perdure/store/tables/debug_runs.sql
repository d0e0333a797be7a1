-- name: debug_runs.page
-- The calls to models that are kept of a chat, newest first, before one of them.
SELECT r.*
FROM chat_cards k
JOIN debug_runs r ON r.chat_id = k.id
WHERE k.id = $3 AND k.organisation_id = $2 AND may_read(k.id, k.root_id, k.owner_id, $1)
    AND r.expires_at > now() AND ($4::bigint IS NULL OR r.id < $4)
ORDER BY r.id DESC
LIMIT $5

-- name: debug_runs.write
-- Keep one call to a model; of a chat's calls only the newest are kept.
WITH kept AS (
    INSERT INTO debug_runs (
        chat_id, turn, attempt, purpose, provider, model, started_at, first_event_ms, duration_ms, outcome, status,
        error, usage, cost, blocks, request, response, expires_at
    )
    SELECT id, $2::integer, $3::integer, $4, $5, $6, $7::timestamptz, $8::integer, $9::integer, $10, $11::integer,
        $12, $13::jsonb, $14::bigint, $15::text[], $16::bytea, $17::bytea, now() + $18::interval
    FROM chats
    WHERE id = $1
)
DELETE FROM debug_runs
WHERE id IN (SELECT id FROM debug_runs WHERE chat_id = $1 ORDER BY id DESC OFFSET $19)

-- name: debug_runs.sweep
-- Drop calls whose time is over.
DELETE FROM debug_runs WHERE expires_at < now()
