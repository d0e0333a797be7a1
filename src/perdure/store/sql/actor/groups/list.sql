-- The groups of one's own organisation, with their members.
SELECT g.id, g.name, g.created_at,
    ARRAY(SELECT m.user_id FROM group_members m WHERE m.group_id = g.id ORDER BY m.user_id) AS members
FROM groups g
JOIN users me ON me.id = $1 AND me.organisation_id = g.organisation_id
WHERE g.organisation_id = $2
ORDER BY g.created_at, g.id
