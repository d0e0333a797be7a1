-- name: watch.changed
-- For each viewer, the chats that they may see and that changed after the moment they name.
SELECT e.*, k.*, coalesce(r.number, 0) AS read_number, v.user_id AS viewer
FROM unnest($1::uuid[], $2::timestamptz[]) AS v (user_id, since)
CROSS JOIN LATERAL (
    SELECT c.id FROM chat_cards c WHERE c.owner_id = v.user_id
    UNION
    SELECT c.id
    FROM chat_shares s
    JOIN chat_cards c ON c.id = s.chat_id OR c.root_id = s.chat_id
    WHERE s.user_id = v.user_id
        OR s.group_id IN (SELECT m.group_id FROM group_members m WHERE m.user_id = v.user_id)
) AS seen
JOIN chats e ON e.id = seen.id
JOIN chat_cards c ON c.id = seen.id
JOIN cards k ON k.id = seen.id
LEFT JOIN read_markers r ON r.chat_id = seen.id AND r.user_id = v.user_id
WHERE greatest(e.updated_at, c.updated_at, c.changed_at, r.marked_at) > v.since
ORDER BY e.updated_at

-- name: watch.touched
-- These chats as each of these viewers sees them, if they may.
SELECT e.*, k.*, coalesce(r.number, 0) AS read_number, v.user_id AS viewer
FROM unnest($2::uuid[]) AS t (id)
JOIN chats e ON e.id = t.id
JOIN cards k ON k.id = t.id
CROSS JOIN unnest($1::uuid[]) AS v (user_id)
LEFT JOIN read_markers r ON r.chat_id = t.id AND r.user_id = v.user_id
WHERE is_listed_for(k.id, k.root_id, k.owner_id, v.user_id)
ORDER BY e.updated_at

-- name: watch.departed
-- What each viewer can no longer see, since the moment they name.
SELECT d.user_id AS viewer, d.chat_id, d.at, now() AS position
FROM unnest($1::uuid[], $2::timestamptz[]) AS v (user_id, since)
JOIN departures d ON d.user_id = v.user_id AND d.at > v.since
LEFT JOIN chat_cards c ON c.id = d.chat_id
WHERE c.id IS NULL OR NOT is_listed_for(c.id, c.root_id, c.owner_id, d.user_id)

-- name: watch.inbox
-- For each viewer, the inbox entries that are new or were read after the moment they name, and how many are unread.
SELECT v.user_id AS viewer, i.id, i.chat_id, i.kind, i.title, i.text, i.created_at, i.read_at, now() AS position,
    (SELECT count(*) FROM inbox u WHERE u.user_id = v.user_id AND u.read_at IS NULL) AS unread
FROM unnest($1::uuid[], $2::timestamptz[]) AS v (user_id, since)
LEFT JOIN inbox i ON i.user_id = v.user_id AND greatest(i.created_at, i.read_at) > v.since
ORDER BY i.created_at

-- name: watch.now
-- The database's clock.
SELECT now()

-- name: watch.purge
-- Forget departures that are older than any cursor may be.
DELETE FROM departures WHERE at < now() - $1::interval
