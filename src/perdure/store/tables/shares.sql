-- name: shares.listed
-- With whom a root chat that somebody may read is shared.
SELECT s.user_id, s.group_id, s.role
FROM chat_cards k
JOIN chat_shares s ON s.chat_id = k.id
WHERE k.id = $3 AND k.organisation_id = $2 AND may_read(k.id, k.root_id, k.owner_id, $1)
ORDER BY s.created_at, s.user_id, s.group_id

-- name: shares.unknown
-- The people $3 and groups $4 that are not of one's own organisation.
SELECT asked.id
FROM users me, unnest($3::uuid[] || $4::uuid[]) WITH ORDINALITY AS asked (id, place)
WHERE me.id = $1 AND me.organisation_id = $2
    AND NOT (asked.place <= cardinality($3) AND EXISTS (SELECT FROM users u WHERE u.id = asked.id AND u.organisation_id = $2))
    AND NOT (asked.place > cardinality($3) AND EXISTS (SELECT FROM groups g WHERE g.id = asked.id AND g.organisation_id = $2))
ORDER BY asked.place

-- name: shares.role
-- The most that somebody may do in a chat that is shared with them; nothing where it is not.
SELECT p.role::text AS role
FROM chat_cards k
JOIN chat_people p ON p.chat_id = coalesce(k.root_id, k.id) AND p.user_id = $1
WHERE k.id = $3 AND k.organisation_id = $2
ORDER BY array_position(ARRAY['approve', 'write', 'read'], p.role::text)
LIMIT 1

-- name: shares.people
-- Who is in a chat that somebody may read: its owner first, then those it is shared with, each with the most they may do.
SELECT u.id, coalesce(nullif(u.name, ''), split_part(u.email, '@', 1)) AS name, u.email,
    CASE WHEN u.id = k.owner_id THEN 'owner' ELSE most.role END AS role
FROM chat_cards k
JOIN LATERAL (
    SELECT k.owner_id AS user_id, 0 AS place, NULL AS role
    UNION ALL
    SELECT p.user_id, min(array_position(ARRAY['approve', 'write', 'read'], p.role::text)),
        (ARRAY['approve', 'write', 'read'])[min(array_position(ARRAY['approve', 'write', 'read'], p.role::text))]
    FROM chat_people p
    WHERE p.chat_id = coalesce(k.root_id, k.id) AND p.user_id <> k.owner_id
    GROUP BY p.user_id
) most ON true
JOIN users u ON u.id = most.user_id AND u.disabled_at IS NULL
WHERE k.id = $3 AND k.organisation_id = $2 AND may_read(k.id, k.root_id, k.owner_id, $1)
ORDER BY most.place, u.name, u.id

-- name: shares.replace
-- Share a root chat of one's own with exactly these people $4 and groups $6 of the organisation, each in the role at its
-- place in $5 and $7. New readers are told.
WITH mine AS (
    SELECT k.id, k.title FROM chat_cards k
    WHERE k.id = $3 AND k.owner_id = $1 AND k.organisation_id = $2 AND k.parent_id IS NULL
), gone AS (
    DELETE FROM chat_shares s USING mine
    WHERE s.chat_id = mine.id AND coalesce(s.user_id <> ALL($4::uuid[]), s.group_id <> ALL($6::uuid[]))
), people AS (
    INSERT INTO chat_shares AS s (chat_id, user_id, role)
    SELECT mine.id, u.id, asked.role
    FROM mine, unnest($4::uuid[], $5::text[]) AS asked (id, role)
    JOIN users u ON u.id = asked.id AND u.organisation_id = $2 AND u.id <> $1
    ON CONFLICT (chat_id, user_id) WHERE user_id IS NOT NULL DO UPDATE SET role = excluded.role
    RETURNING s.user_id, xmax = 0 AS fresh
), groups AS (
    INSERT INTO chat_shares AS s (chat_id, group_id, role)
    SELECT mine.id, g.id, asked.role
    FROM mine, unnest($6::uuid[], $7::text[]) AS asked (id, role)
    JOIN groups g ON g.id = asked.id AND g.organisation_id = $2
    ON CONFLICT (chat_id, group_id) WHERE group_id IS NOT NULL DO UPDATE SET role = excluded.role
    RETURNING s.group_id
), touched AS (
    UPDATE chat_cards k SET metadata_version = k.metadata_version + 1, changed_at = now() FROM mine WHERE k.id = mine.id
    RETURNING k.metadata_version
), told AS (
    INSERT INTO inbox (user_id, chat_id, kind, title)
    SELECT people.user_id, mine.id, 'shared', mine.title FROM mine, people WHERE people.fresh
    ON CONFLICT DO NOTHING
)
SELECT metadata_version FROM touched
