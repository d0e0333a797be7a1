-- name: shares.listed
-- With whom a root chat that somebody may read is shared.
SELECT s.user_id, s.group_id
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

-- name: shares.replace
-- Share a root chat of one's own with exactly these people and groups of the organisation. New readers are told.
WITH mine AS (
    SELECT k.id, k.title FROM chat_cards k
    WHERE k.id = $3 AND k.owner_id = $1 AND k.organisation_id = $2 AND k.parent_id IS NULL
), gone AS (
    DELETE FROM chat_shares s USING mine
    WHERE s.chat_id = mine.id AND coalesce(s.user_id <> ALL($4::uuid[]), s.group_id <> ALL($5::uuid[]))
), people AS (
    INSERT INTO chat_shares (chat_id, user_id)
    SELECT mine.id, u.id FROM mine, users u WHERE u.organisation_id = $2 AND u.id = ANY($4::uuid[]) AND u.id <> $1
    ON CONFLICT DO NOTHING
    RETURNING user_id
), groups AS (
    INSERT INTO chat_shares (chat_id, group_id)
    SELECT mine.id, g.id FROM mine, groups g WHERE g.organisation_id = $2 AND g.id = ANY($5::uuid[])
    ON CONFLICT DO NOTHING
    RETURNING group_id
), touched AS (
    UPDATE chat_cards k SET metadata_version = k.metadata_version + 1, changed_at = now() FROM mine WHERE k.id = mine.id
    RETURNING k.metadata_version
), told AS (
    INSERT INTO inbox (user_id, chat_id, kind, title)
    SELECT people.user_id, mine.id, 'shared', mine.title FROM mine, people
    ON CONFLICT DO NOTHING
)
SELECT metadata_version FROM touched
