-- name: schedules.listed
-- The schedules of whoever asks, oldest first.
SELECT s.id, s.options, s.next_at, s.paused_at, s.pause_reason, s.failures, s.last_chat_id, s.created_at
FROM schedules s WHERE s.owner_id = $1 AND s.organisation_id = $2 ORDER BY s.created_at, s.id

-- name: schedules.one
-- A schedule of whoever asks.
SELECT s.id, s.options, s.next_at, s.paused_at, s.pause_reason, s.failures, s.last_chat_id, s.created_at
FROM schedules s WHERE s.owner_id = $1 AND s.organisation_id = $2 AND s.id = $3

-- name: schedules.add
-- A new schedule $3 with options $4 that is due next at $5, unless its owner has $6 already. The same id is added once.
INSERT INTO schedules AS s (id, owner_id, organisation_id, options, next_at)
SELECT $3, u.id, u.organisation_id, $4, $5 FROM users u
WHERE u.id = $1 AND u.organisation_id = $2 AND (SELECT count(*) FROM schedules o WHERE o.owner_id = $1) < $6::integer
ON CONFLICT (id) DO UPDATE SET options = s.options WHERE s.owner_id = $1
RETURNING s.id, s.options, s.next_at, s.paused_at, s.pause_reason, s.failures, s.last_chat_id, s.created_at

-- name: schedules.change
-- Change a schedule: options $4, due next at $5 unless $7 keeps it as it goes, paused $6. What failed is forgotten.
UPDATE schedules s SET options = $4, next_at = CASE WHEN $7 THEN s.next_at ELSE $5 END, failures = 0, pause_reason = '',
    paused_at = CASE WHEN $6 THEN coalesce(s.paused_at, now()) END
WHERE s.owner_id = $1 AND s.organisation_id = $2 AND s.id = $3
RETURNING s.id, s.options, s.next_at, s.paused_at, s.pause_reason, s.failures, s.last_chat_id, s.created_at

-- name: schedules.delete
-- Remove a schedule with its history. The chats that it began stay.
DELETE FROM schedules s WHERE s.owner_id = $1 AND s.organisation_id = $2 AND s.id = $3 RETURNING s.id

-- name: schedules.runs
-- What became of the due times of a schedule, newest first: before the run $4, at most $5.
SELECT r.id, r.due_at, r.last_due_at, r.times, r.state, r.detail, r.chat_id, r.begun_at, r.ended_at
FROM schedule_runs r JOIN schedules s ON s.id = r.schedule_id
WHERE s.owner_id = $1 AND s.organisation_id = $2 AND s.id = $3 AND ($4::bigint IS NULL OR r.id < $4)
ORDER BY r.id DESC
LIMIT $5

-- name: schedules.run_now
-- A run that somebody asks for besides.
INSERT INTO schedule_runs AS r (schedule_id, due_at, last_due_at, state)
SELECT s.id, now(), now(), 'due' FROM schedules s WHERE s.owner_id = $1 AND s.organisation_id = $2 AND s.id = $3
RETURNING r.id, r.due_at, r.last_due_at, r.times, r.state, r.detail, r.chat_id, r.begun_at, r.ended_at

-- name: schedules.due
-- Schedules whose time has come by the clock of the database, the longest due first.
SELECT s.id, s.options, s.next_at AS due_at, now() AS now FROM schedules s
WHERE s.next_at <= now() ORDER BY s.next_at LIMIT $1

-- name: schedules.outlook
-- How long it is until a schedule is due, if one will be, and whether there are runs to begin.
SELECT (SELECT min(s.next_at) - now() FROM schedules s WHERE s.next_at IS NOT NULL) AS until_due,
    EXISTS (SELECT FROM schedule_runs r WHERE r.state = 'due') AS waiting

-- name: schedules.advance
-- Move schedules on from where they were seen, and note the due times that this passes. One that somebody else moved
-- meanwhile stays as it is, and nothing is noted of it.
WITH moved AS (
    UPDATE schedules s SET next_at = a.next_at
    FROM unnest($1::uuid[], $2::timestamptz[], $3::timestamptz[]) AS a (id, seen, next_at)
    WHERE s.id = a.id AND s.next_at = a.seen
    RETURNING s.id
)
INSERT INTO schedule_runs (schedule_id, due_at, last_due_at, times, state, detail, ended_at)
SELECT r.schedule_id, r.due_at, r.last_due_at, r.times, r.state, r.detail,
    CASE WHEN r.state <> 'due' THEN now() END
FROM unnest($4::uuid[], $5::timestamptz[], $6::timestamptz[], $7::integer[], $8::text[], $9::text[])
    AS r (schedule_id, due_at, last_due_at, times, state, detail)
JOIN moved m ON m.id = r.schedule_id
ON CONFLICT (schedule_id, due_at) DO NOTHING

-- name: schedules.take
-- Take runs that nobody begins yet, or that whoever took them longer than $1 ago, or in a session that has ended, has
-- dropped: of each schedule the first, so that every run sees what became of the one before it.
WITH held AS (
    SELECT r.id, r.taken_at IS NOT NULL AS again FROM schedule_runs r
    WHERE r.state = 'due' AND (
            r.taken_at IS NULL OR r.taken_at < now() - $1::interval OR r.taken_at > now() + $1::interval
            OR r.taken_session IS NOT NULL AND NOT EXISTS (SELECT FROM pg_stat_get_activity(r.taken_session))
        )
        AND NOT EXISTS (
            SELECT FROM schedule_runs e WHERE e.schedule_id = r.schedule_id AND e.state = 'due' AND e.id < r.id
        )
    ORDER BY r.due_at LIMIT $2 FOR UPDATE SKIP LOCKED
), taken AS (
    UPDATE schedule_runs r SET taken_at = now(), taken_session = pg_backend_pid() FROM held WHERE r.id = held.id
    RETURNING r.id, r.schedule_id, r.due_at, r.created_at, held.again
)
SELECT t.id, t.again, t.created_at, now() - t.created_at AS age, now() - t.due_at AS late, s.options, s.owner_id, s.organisation_id, u.role,
    coalesce(nullif(u.name, ''), split_part(u.email, '@', 1)) AS name,
    u.disabled_at IS NOT NULL AS removed, s.last_chat_id, c.status AS last_status
FROM taken t
JOIN schedules s ON s.id = t.schedule_id
JOIN users u ON u.id = s.owner_id
LEFT JOIN chats c ON c.id = s.last_chat_id

-- name: schedules.begun
-- Note which chat each run went into.
WITH done AS (
    UPDATE schedule_runs r SET state = 'begun', chat_id = b.chat_id, begun_at = now()
    FROM unnest($1::bigint[], $2::uuid[]) AS b (id, chat_id)
    WHERE r.id = b.id AND r.state = 'due'
    RETURNING r.schedule_id, r.chat_id, r.id
)
UPDATE schedules s SET last_chat_id = d.chat_id
FROM (SELECT DISTINCT ON (schedule_id) schedule_id, chat_id FROM done ORDER BY schedule_id, id DESC) d
WHERE s.id = d.schedule_id

-- name: schedules.put_off
-- Leave a run for later: until what it waits for is over.
UPDATE schedule_runs SET taken_at = now(), taken_session = NULL, detail = $2 WHERE id = $1 AND state = 'due'

-- name: schedules.end_run
-- Note that a run came to nothing: $2 is how, $3 why. What failed counts, and a schedule that failed $4 times in a row
-- is paused. Who is told so.
WITH ended AS (
    UPDATE schedule_runs r SET state = $2, detail = $3, ended_at = now() WHERE r.id = $1 AND r.state = 'due'
    RETURNING r.schedule_id
), counted AS (
    UPDATE schedules s SET failures = s.failures + 1,
        paused_at = CASE WHEN s.failures + 1 >= $4::integer THEN coalesce(s.paused_at, now()) END,
        next_at = CASE WHEN s.failures + 1 < $4::integer THEN s.next_at END,
        pause_reason = CASE WHEN s.failures + 1 >= $4::integer THEN $3 ELSE '' END
    FROM ended e WHERE s.id = e.schedule_id AND $2 = 'failed' AND s.paused_at IS NULL
    RETURNING s.owner_id, s.options, s.paused_at, s.pause_reason
)
INSERT INTO inbox AS i (user_id, kind, title, text)
SELECT c.owner_id, 'schedule_paused', c.options::json ->> 'name', c.pause_reason FROM counted c WHERE c.paused_at IS NOT NULL
RETURNING i.user_id

-- name: schedules.settle
-- Runs whose chat has come to rest are over. A schedule whose runs failed $1 times in a row is paused. Who is told so.
WITH held AS (
    SELECT r.id, c.status, coalesce(c.last_error::json ->> 'message', '') AS detail
    FROM schedule_runs r JOIN chats c ON c.id = r.chat_id
    WHERE r.state = 'begun' AND c.status IN ('waiting', 'error')
    ORDER BY r.id LIMIT $2 FOR UPDATE OF r SKIP LOCKED
), ended AS (
    UPDATE schedule_runs r SET ended_at = now(), detail = CASE WHEN h.status = 'error' THEN h.detail ELSE '' END,
        state = CASE WHEN h.status = 'error' THEN 'failed' ELSE 'finished' END
    FROM held h WHERE r.id = h.id
    RETURNING r.schedule_id, r.state, r.detail
), summed AS (
    SELECT e.schedule_id, bool_and(e.state = 'failed') AS failed, count(*)::integer AS times, max(e.detail) AS detail
    FROM ended e GROUP BY e.schedule_id
), counted AS (
    UPDATE schedules s SET failures = CASE WHEN t.failed THEN s.failures + t.times ELSE 0 END,
        paused_at = CASE WHEN t.failed AND s.failures + t.times >= $1::integer THEN now() END,
        next_at = CASE WHEN NOT t.failed OR s.failures + t.times < $1::integer THEN s.next_at END,
        pause_reason = CASE WHEN t.failed AND s.failures + t.times >= $1::integer THEN t.detail ELSE '' END
    FROM summed t WHERE s.id = t.schedule_id AND s.paused_at IS NULL AND (t.failed OR s.failures > 0)
    RETURNING s.owner_id, s.options, s.paused_at, s.pause_reason
)
INSERT INTO inbox AS i (user_id, kind, title, text)
SELECT c.owner_id, 'schedule_paused', c.options::json ->> 'name', c.pause_reason FROM counted c WHERE c.paused_at IS NOT NULL
RETURNING i.user_id

-- name: schedules.settle_lost
-- A run whose chat was deleted is over, too.
UPDATE schedule_runs r SET state = 'finished', ended_at = now(), detail = 'The chat was deleted.'
WHERE r.state = 'begun' AND NOT EXISTS (SELECT FROM chats c WHERE c.id = r.chat_id)

-- name: schedules.purge
-- Throw away the oldest part of the history.
DELETE FROM schedule_runs WHERE ended_at < now() - $1::interval
