-- name: groups.listed
-- The groups of one's own organisation, with their members.
SELECT g.id, g.name, g.created_at,
    ARRAY(SELECT m.user_id FROM group_members m WHERE m.group_id = g.id ORDER BY m.user_id) AS members
FROM groups g
JOIN users me ON me.id = $1 AND me.organisation_id = g.organisation_id
WHERE g.organisation_id = $2
ORDER BY g.created_at, g.id

-- name: groups.add
-- A new group.
INSERT INTO groups (organisation_id, name) VALUES ($1, $2) RETURNING id, name, created_at

-- name: groups.rename
-- Give a group another name, or keep it.
UPDATE groups g SET name = coalesce($3, g.name) WHERE g.organisation_id = $1 AND g.id = $2 RETURNING g.id, g.name, g.created_at

-- name: groups.set_members
-- Make exactly these people of the organisation the members of a group. Comes back with those that were found.
WITH wanted AS (
    SELECT g.id AS group_id, u.id AS user_id
    FROM groups g JOIN users u ON u.organisation_id = g.organisation_id
    WHERE g.organisation_id = $1 AND g.id = $2 AND u.id = ANY($3::uuid[])
), gone AS (
    DELETE FROM group_members m USING groups g
    WHERE m.group_id = g.id AND g.organisation_id = $1 AND g.id = $2 AND m.user_id <> ALL($3::uuid[])
), come AS (
    INSERT INTO group_members (group_id, user_id) SELECT group_id, user_id FROM wanted ON CONFLICT DO NOTHING
)
SELECT user_id FROM wanted ORDER BY user_id

-- name: groups.delete
-- Remove a group, and what was shared with it.
DELETE FROM groups g WHERE g.organisation_id = $1 AND g.id = $2 RETURNING g.id
