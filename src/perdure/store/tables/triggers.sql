-- name: triggers.listed
-- The triggers of whoever asks, oldest first.
SELECT t.id, t.options, t.enabled, t.refused_at, t.refusal, t.created_at
FROM triggers t WHERE t.owner_id = $1 AND t.organisation_id = $2 ORDER BY t.created_at, t.id

-- name: triggers.one
-- A trigger of whoever asks.
SELECT t.id, t.options, t.enabled, t.refused_at, t.refusal, t.created_at
FROM triggers t WHERE t.owner_id = $1 AND t.organisation_id = $2 AND t.id = $3

-- name: triggers.add
-- A new trigger with options $3 and the secret $4, unless its owner has $5 already.
INSERT INTO triggers AS t (owner_id, organisation_id, options, secret)
SELECT u.id, u.organisation_id, $3, $4 FROM users u
WHERE u.id = $1 AND u.organisation_id = $2 AND (SELECT count(*) FROM triggers o WHERE o.owner_id = $1) < $5::integer
RETURNING t.id, t.options, t.enabled, t.refused_at, t.refusal, t.created_at

-- name: triggers.change
-- Change a trigger. Null leaves something as it is. What was refused is forgotten.
UPDATE triggers t SET options = $4, enabled = coalesce($5, t.enabled), secret = coalesce($6, t.secret),
    refused_at = NULL, refusal = ''
WHERE t.owner_id = $1 AND t.organisation_id = $2 AND t.id = $3
RETURNING t.id, t.options, t.enabled, t.refused_at, t.refusal, t.created_at

-- name: triggers.delete
-- Remove a trigger with its deliveries. The chats that it began stay.
DELETE FROM triggers t WHERE t.owner_id = $1 AND t.organisation_id = $2 AND t.id = $3 RETURNING t.id

-- name: triggers.deliveries
-- What was delivered, newest first: in the state $4 if one is given, before $5, at most $6.
SELECT d.id, d.name, d.thread, d.state, d.detail, d.chat_id, octet_length(d.body) AS size, d.created_at, d.ended_at
FROM trigger_deliveries d JOIN triggers t ON t.id = d.trigger_id
WHERE t.owner_id = $1 AND t.organisation_id = $2 AND t.id = $3 AND ($4::text IS NULL OR d.state = $4)
    AND ($5::bigint IS NULL OR d.id < $5)
ORDER BY d.id DESC
LIMIT $6

-- name: triggers.content
-- What a delivery brought: at most $5 bytes of it.
SELECT d.headers, substring(d.body FROM 1 FOR $5::integer) AS body, octet_length(d.body) AS size
FROM trigger_deliveries d JOIN triggers t ON t.id = d.trigger_id
WHERE t.owner_id = $1 AND t.organisation_id = $2 AND t.id = $3 AND d.id = $4

-- name: triggers.replay
-- A delivery once more, as if its sender had sent it anew.
INSERT INTO trigger_deliveries AS d (trigger_id, thread, headers, body, state)
SELECT o.trigger_id, o.thread, o.headers, o.body, 'due'
FROM trigger_deliveries o JOIN triggers t ON t.id = o.trigger_id
WHERE t.owner_id = $1 AND t.organisation_id = $2 AND t.id = $3 AND o.id = $4 AND o.state <> 'due'
RETURNING d.id, d.name, d.thread, d.state, d.detail, d.chat_id, octet_length(d.body) AS size, d.created_at, d.ended_at

-- name: triggers.try_out
-- A delivery that its owner makes up.
INSERT INTO trigger_deliveries AS d (trigger_id, thread, headers, body, state)
SELECT t.id, $4, $5, $6, 'due' FROM triggers t WHERE t.owner_id = $1 AND t.organisation_id = $2 AND t.id = $3
RETURNING d.id, d.name, d.thread, d.state, d.detail, d.chat_id, octet_length(d.body) AS size, d.created_at, d.ended_at

-- name: triggers.receiver
-- What is needed to know whether a delivery is to be had. Whoever sends it is nobody yet.
SELECT t.options, t.secret, t.enabled, u.disabled_at IS NOT NULL AS removed
FROM triggers t JOIN users u ON u.id = t.owner_id WHERE t.id = $1

-- name: triggers.receive
-- Keep a delivery $2 unless it is known. Its id, and whether it was known.
WITH kept AS (
    INSERT INTO trigger_deliveries (trigger_id, name, thread, headers, body, state, detail, ended_at)
    VALUES ($1, $2, $3, $4, $5, $6, $7, CASE WHEN $6 <> 'due' THEN now() END)
    ON CONFLICT (trigger_id, name) DO NOTHING
    RETURNING id
)
SELECT k.id, false AS known FROM kept k
UNION ALL
SELECT d.id, true FROM trigger_deliveries d WHERE d.trigger_id = $1 AND d.name = $2 AND NOT EXISTS (SELECT FROM kept)

-- name: triggers.refused
-- Note why a request was refused, now and then: anybody may send some.
UPDATE triggers SET refused_at = now(), refusal = $2
WHERE id = $1 AND (refused_at IS NULL OR refused_at < now() - interval '10 seconds' OR refused_at > now())

-- name: triggers.take
-- Take deliveries that nobody brings to a chat yet, or that whoever took them longer than $1 ago, or in a session that has
-- ended, has dropped: of each thread the first. How many of the trigger came within $3 before.
WITH held AS (
    SELECT d.id, d.taken_at IS NOT NULL AS again FROM trigger_deliveries d
    WHERE d.state = 'due' AND (
            d.taken_at IS NULL OR d.taken_at < now() - $1::interval OR d.taken_at > now() + $1::interval
            OR d.taken_session IS NOT NULL AND NOT EXISTS (SELECT FROM pg_stat_get_activity(d.taken_session))
        )
        AND (d.thread = '' OR NOT EXISTS (
            SELECT FROM trigger_deliveries e
            WHERE e.trigger_id = d.trigger_id AND e.thread = d.thread AND e.state = 'due' AND e.id < d.id
        ))
    ORDER BY d.id LIMIT $2 FOR UPDATE SKIP LOCKED
), taken AS (
    UPDATE trigger_deliveries d SET taken_at = now(), taken_session = pg_backend_pid() FROM held WHERE d.id = held.id
    RETURNING d.id, d.trigger_id, d.thread, d.headers, d.body, d.created_at, held.again
)
SELECT k.id, k.trigger_id, k.again, k.created_at, now() - k.created_at AS age, k.thread, k.headers, k.body, t.options, t.owner_id,
    t.organisation_id, u.role, coalesce(nullif(u.name, ''), split_part(u.email, '@', 1)) AS person,
    u.disabled_at IS NOT NULL AS removed, (
        SELECT count(*)::integer FROM trigger_deliveries b
        WHERE b.trigger_id = k.trigger_id AND b.id < k.id AND b.created_at > k.created_at - $3::interval
            AND b.state IN ('due', 'begun')
    ) AS before
FROM taken k
JOIN triggers t ON t.id = k.trigger_id
JOIN users u ON u.id = t.owner_id
ORDER BY k.id

-- name: triggers.waiting
-- Whether there are deliveries to bring to a chat.
SELECT EXISTS (SELECT FROM trigger_deliveries d WHERE d.state = 'due')

-- name: triggers.chat_of_thread
-- The chat of a thread: $3 from now on, unless it has one that still is there.
INSERT INTO trigger_threads AS t (trigger_id, thread, chat_id) VALUES ($1, $2, $3)
ON CONFLICT (trigger_id, thread) DO UPDATE SET chat_id = t.chat_id
RETURNING t.chat_id, EXISTS (SELECT FROM chats c WHERE c.id = t.chat_id) AS begun

-- name: triggers.forget_thread
-- The next delivery of a thread begins a chat anew.
DELETE FROM trigger_threads WHERE trigger_id = $1 AND thread = $2 AND chat_id = $3

-- name: triggers.settle
-- Note what a delivery came to.
UPDATE trigger_deliveries SET state = $2, detail = $3, chat_id = $4, ended_at = now() WHERE id = $1 AND state = 'due'

-- name: triggers.put_off
-- Leave a delivery for later: until what it waits for is over.
UPDATE trigger_deliveries SET taken_at = now(), taken_session = NULL, detail = $2 WHERE id = $1 AND state = 'due'

-- name: triggers.purge
-- Throw away what was settled long ago.
DELETE FROM trigger_deliveries WHERE ended_at < now() - $1::interval
