-- name: webhooks.listed
-- The webhooks of whoever asks, oldest first.
SELECT w.id, w.name, w.url, w.events, w.enabled, w.created_at FROM webhooks w
WHERE w.owner_id = $1 AND w.organisation_id = $2 AND w.trigger_id IS NULL AND w.chat_id IS NULL ORDER BY w.created_at, w.id

-- name: webhooks.add
-- A new webhook, unless its owner has $7 already.
INSERT INTO webhooks AS w (owner_id, organisation_id, name, url, events, secret)
SELECT u.id, u.organisation_id, $3, $4, $5, $6 FROM users u
WHERE u.id = $1 AND u.organisation_id = $2 AND (SELECT count(*) FROM webhooks o WHERE o.owner_id = $1 AND o.trigger_id IS NULL
    AND o.chat_id IS NULL) < $7::integer
RETURNING w.id, w.name, w.url, w.events, w.enabled, w.created_at

-- name: webhooks.change
-- Change a webhook. Null leaves something as it is.
UPDATE webhooks w SET name = coalesce($4, w.name), url = coalesce($5, w.url), events = coalesce($6, w.events),
    enabled = coalesce($7, w.enabled)
WHERE w.owner_id = $1 AND w.organisation_id = $2 AND w.id = $3 AND w.trigger_id IS NULL AND w.chat_id IS NULL
RETURNING w.id, w.name, w.url, w.events, w.enabled, w.created_at

-- name: webhooks.delete
-- Remove a webhook with everything that it was or is to be told.
DELETE FROM webhooks w
WHERE w.owner_id = $1 AND w.organisation_id = $2 AND w.id = $3 AND w.trigger_id IS NULL AND w.chat_id IS NULL RETURNING w.id

-- name: webhooks.deliveries
-- What a webhook was or is to be told, newest first: in the state $4 if one is given, before $5, at most $6.
SELECT o.id, o.name, o.chat_id, o.event, o.number, o.state, o.attempts, o.status, o.detail, o.created_at, o.due_at,
    o.settled_at
FROM outbox o JOIN webhooks w ON w.id = o.webhook_id
WHERE w.owner_id = $1 AND w.organisation_id = $2 AND w.id = $3 AND ($4::text IS NULL OR o.state = $4)
    AND ($5::bigint IS NULL OR o.id < $5)
ORDER BY o.id DESC
LIMIT $6

-- name: webhooks.replay
-- Tell a webhook again what it was told or could not be told: under the same name.
UPDATE outbox o SET state = 'pending', attempts = 0, due_at = now(), taken_until = NULL, settled_at = NULL, detail = ''
FROM webhooks w
WHERE w.id = o.webhook_id AND w.owner_id = $1 AND w.organisation_id = $2 AND w.id = $3 AND o.id = $4 AND o.state <> 'pending'
RETURNING o.id, o.name, o.chat_id, o.event, o.number, o.state, o.attempts, o.status, o.detail, o.created_at, o.due_at,
    o.settled_at

-- name: webhooks.test
-- Something to tell a webhook that is on, only to see whether it hears.
INSERT INTO outbox AS o (webhook_id, event)
SELECT w.id, $4 FROM webhooks w WHERE w.owner_id = $1 AND w.organisation_id = $2 AND w.id = $3 AND w.enabled
RETURNING o.id, o.name, o.chat_id, o.event, o.number, o.state, o.attempts, o.status, o.detail, o.created_at, o.due_at,
    o.settled_at

-- name: webhooks.outlook
-- Whether anybody wants to be told anything, and whether something is to be told now.
SELECT EXISTS (SELECT FROM webhooks w WHERE w.enabled) AS wanted,
    EXISTS (SELECT FROM outbox o WHERE o.state = 'pending' AND (o.due_at <= now() OR o.attempts = 0)) AS due

-- name: webhooks.take
-- Take what is first for each webhook in each chat, if it is due and nobody else delivers it. $1 is for how long. What was
-- never tried is due, and nobody has taken anything for twice as long: clocks may go back. Not for just longer: the
-- clock of a statement is when it began, and whoever began a little later may have taken the row meanwhile.
WITH heads AS (
    SELECT DISTINCT ON (o.webhook_id, o.chat_id) o.id, o.due_at, o.taken_until FROM outbox o
    WHERE o.state = 'pending' ORDER BY o.webhook_id, o.chat_id, o.id
), held AS (
    SELECT o.id FROM outbox o JOIN heads h ON h.id = o.id JOIN webhooks w ON w.id = o.webhook_id AND w.enabled
    WHERE o.state = 'pending' AND (o.due_at <= now() OR o.attempts = 0)
        AND (o.taken_until IS NULL OR o.taken_until < now() OR o.taken_until > now() + 2 * $1::interval)
    ORDER BY o.due_at LIMIT $2 FOR UPDATE OF o SKIP LOCKED
), taken AS (
    UPDATE outbox o SET taken_until = now() + $1::interval, attempts = o.attempts + 1 FROM held h WHERE o.id = h.id
    RETURNING o.id, o.name, o.webhook_id, o.chat_id, o.event, o.number, o.attempts, o.created_at
)
SELECT t.id, t.name, t.webhook_id, t.chat_id, t.event, t.number, t.attempts, t.created_at, w.url, w.secret,
    c.title, e.status, m.role, m.parts, w.trigger_id, h.thread, w.turn
FROM taken t
JOIN webhooks w ON w.id = t.webhook_id
LEFT JOIN chat_cards c ON c.id = t.chat_id
LEFT JOIN chats e ON e.id = t.chat_id
LEFT JOIN messages m ON m.chat_id = t.chat_id AND m.number = t.number AND t.event = 'chat.message' AND m.visibility <> 'model'
LEFT JOIN trigger_threads h ON h.trigger_id = w.trigger_id AND h.chat_id = t.chat_id

-- name: webhooks.settle
-- It was delivered, or given up: $2 is what, $3 the answer's status, $4 why.
UPDATE outbox SET state = $2, status = $3, detail = $4, settled_at = now(), taken_until = NULL
WHERE id = $1 AND state = 'pending'

-- name: webhooks.put_off
-- Try it again after $2.
UPDATE outbox SET due_at = now() + $2::interval, status = $3, detail = $4, taken_until = NULL
WHERE id = $1 AND state = 'pending'

-- name: webhooks.gone
-- A receiver that says that it is not there any more is told nothing else.
UPDATE webhooks SET enabled = false WHERE id = $1

-- name: webhooks.purge
-- Throw away what was settled long ago.
DELETE FROM outbox WHERE settled_at < now() - $1::interval
