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
