-- Remove a group, and what was shared with it.
DELETE FROM groups g WHERE g.organisation_id = $1 AND g.id = $2 RETURNING g.id
