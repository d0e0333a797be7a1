-- name: replicas.register
-- Say that a replica lives.
INSERT INTO replicas (id, address, version, capacity) VALUES ($1, $2, $3, $4)

-- name: replicas.renew
-- Renew a lease that has not run out; list the chats that it covers, where that is asked, and when leases end that are not
-- renewed in time. No row: this replica id is dead for good.
WITH renewed AS (
    UPDATE replicas SET seen_at = now(), session = pg_backend_pid()
    WHERE id = $1 AND seen_at > now() - $2::interval RETURNING id
)
SELECT
    (SELECT count(*) FROM replicas WHERE seen_at > now() - $2::interval) AS alive,
    (SELECT coalesce(sum(capacity), 0)::integer FROM replicas WHERE seen_at > now() - $2::interval) AS capacity,
    ARRAY(
        SELECT
            seen_at - now() + CASE WHEN EXISTS (SELECT FROM pg_stat_get_activity(session)) THEN $2::interval ELSE $3 END
        FROM replicas WHERE seen_at > now() - $2::interval AND seen_at < now() - $4::interval
    ) AS ends,
    c.id AS chat_id, c.runner_id, c.snapshot_version
FROM renewed r
LEFT JOIN chats c ON $5::boolean AND c.worker_id = r.id AND c.status IN ('running', 'interrupting')

-- name: replicas.end_severed
-- End the leases that are not renewed and whose sessions have ended: nobody is there any more to be waited for.
UPDATE replicas SET seen_at = now() - $1::interval, silent_since = seen_at
WHERE seen_at > now() - $1::interval AND seen_at <= now() - $2::interval
AND NOT EXISTS (SELECT FROM pg_stat_get_activity(session))

-- name: replicas.place
-- How many replicas live, and how many of them come before this one.
SELECT count(*) AS alive, count(*) FILTER (WHERE id < $1) AS before FROM replicas WHERE seen_at > now() - $2::interval

-- name: replicas.address
-- Where a living replica is reached by the others.
SELECT address FROM replicas WHERE id = $1 AND seen_at > now() - $2::interval

-- name: replicas.said_again
-- A replica has said again, on the database's line of now, what only it knew of the lines before.
UPDATE replicas SET line = current_line() WHERE id = $1

-- name: replicas.owing
-- Whether a replica that was heard of within $1 has not said again yet what only it may know.
SELECT EXISTS (
    SELECT FROM replicas WHERE line IS DISTINCT FROM current_line() AND coalesce(silent_since, seen_at) > now() - $1::interval
)

-- name: replicas.leave
-- A replica that drained is gone.
DELETE FROM replicas WHERE id = $1

-- name: replicas.bury
-- Forget replicas that have been silent for long and drive nothing.
DELETE FROM replicas r WHERE r.seen_at < now() - $1::interval
AND NOT EXISTS (SELECT FROM chats c WHERE c.worker_id = r.id AND c.status IN ('running', 'interrupting'))
