-- name: objects.take
-- Take files of $1 bytes or more that are in rows, and that nobody took within $2. What was never tried comes first.
UPDATE files f SET moving_at = now()
WHERE f.id IN (
    SELECT w.id FROM files w
    WHERE w.object_id IS NULL AND w.size >= $1 AND (w.moving_at IS NULL OR w.moving_at < now() - $2::interval)
    ORDER BY w.moving_at NULLS FIRST, w.id
    LIMIT $3
    FOR UPDATE SKIP LOCKED
)
RETURNING f.id, f.organisation_id, f.content

-- name: objects.begin
-- Say that an object is going to be written, or find the one that is there. One that is not known to be whole is
-- written again, but for one that somebody writes now: they began within $4.
INSERT INTO objects AS o (organisation_id, hash, size) VALUES ($1, $2, $3)
ON CONFLICT (organisation_id, hash) WHERE state <> 'removing'
DO UPDATE SET since = now(), state = CASE o.state WHEN 'stored' THEN 'stored' ELSE 'writing' END
WHERE o.state <> 'writing' OR o.since < now() - $4::interval
RETURNING o.id, o.state = 'stored' AS stored

-- name: objects.release
-- Leave a file to whoever takes it next.
UPDATE files f SET moving_at = NULL WHERE f.id = $1 AND f.object_id IS NULL

-- name: objects.give_up
-- The object was not written, or nobody knows: whoever wants it next writes it.
UPDATE objects o SET state = 'unused', since = now() WHERE o.id = $1 AND o.state = 'writing'

-- name: objects.settle
-- The object $2 is whole: have it hold the content of a file, unless somebody began to remove it.
WITH whole AS (
    UPDATE objects o SET state = 'stored', since = now() WHERE o.id = $2 AND o.state <> 'removing' RETURNING o.id
)
UPDATE files f SET content = NULL, object_id = w.id, moving_at = NULL
FROM whole w
WHERE f.id = $1 AND f.object_id IS NULL

-- name: objects.waiting
-- What is in rows and belongs into objects.
SELECT count(*) AS files, coalesce(sum(f.size), 0)::bigint AS bytes FROM files f WHERE f.object_id IS NULL AND f.size >= $1

-- name: objects.held
-- What is in objects.
SELECT count(*) AS files, coalesce(sum(f.size), 0)::bigint AS bytes FROM files f WHERE f.object_id IS NOT NULL

-- name: objects.mark_unused
-- The first phase of removal: what no file refers to, except what was begun a moment ago.
UPDATE objects o SET state = 'unused', since = now()
WHERE o.state IN ('writing', 'stored') AND o.since < now() - $1::interval
    AND NOT EXISTS (SELECT FROM files f WHERE f.object_id = o.id)

-- name: objects.to_remove
-- The second phase: what was unused for as long as it is kept, and what somebody began to remove and did not. From now
-- on nobody refers to it any more.
UPDATE objects o SET state = 'removing', since = now()
WHERE o.id IN (
    SELECT w.id FROM objects w
    WHERE (w.state = 'unused' AND w.since <= now() - $1::interval)
        OR (w.state = 'removing' AND w.since < now() - $2::interval)
    ORDER BY w.since
    LIMIT $3
    FOR UPDATE SKIP LOCKED
) AND NOT EXISTS (SELECT FROM files f WHERE f.object_id = o.id)
RETURNING o.id, o.organisation_id, o.hash

-- name: objects.forget
-- The object is gone.
DELETE FROM objects o WHERE o.id = $1 AND o.state = 'removing'

-- name: objects.strangers
-- Those of these objects that nobody knows, of organisations that are ours.
SELECT s.id
FROM unnest($1::bigint[], $2::uuid[]) AS s (id, organisation_id)
JOIN organisations g ON g.id = s.organisation_id
WHERE NOT EXISTS (SELECT FROM objects o WHERE o.id = s.id AND o.organisation_id = s.organisation_id)

-- name: objects.moved
-- Files whose content is in objects, by id, after $1.
SELECT f.id, f.organisation_id, o.id AS object_id, o.hash
FROM files f JOIN objects o ON o.id = f.object_id
WHERE $1::uuid IS NULL OR f.id > $1
ORDER BY f.id
LIMIT $2

-- name: objects.bring_back
-- Have a row hold the content of a file again.
UPDATE files f SET content = $3, object_id = NULL, moving_at = NULL WHERE f.id = $1 AND f.object_id = $2
