-- Put a family away or bring it back: all of its members, if each is still as it was seen, or none.
WITH held AS MATERIALIZED (
    SELECT c.id
    FROM unnest($1::uuid[], $2::bigint[]) AS seen (id, snapshot_version)
    JOIN chats c ON c.id = seen.id AND c.snapshot_version = seen.snapshot_version
    ORDER BY c.id
    FOR NO KEY UPDATE OF c
),
moved AS (
    UPDATE chats c
    SET archived = $3, snapshot_version = c.snapshot_version + 1, change_id = $4, updated_at = now(),
        recent_changes = (array_prepend($4, c.recent_changes))[1:8]
    FROM held
    WHERE c.id = held.id AND (SELECT count(*) FROM held) = cardinality($1::uuid[])
    RETURNING c.id, c.updated_at
),
carded AS (
    UPDATE chat_cards d
    SET pin = CASE WHEN $3 THEN 0 ELSE d.pin END, metadata_version = d.metadata_version + 1
    FROM moved
    WHERE d.id = moved.id
)
SELECT id, updated_at FROM moved
