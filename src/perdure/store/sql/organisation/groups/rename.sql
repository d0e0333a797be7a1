-- Give a group another name, or keep it.
UPDATE groups g SET name = coalesce($3, g.name) WHERE g.organisation_id = $1 AND g.id = $2 RETURNING g.id, g.name, g.created_at
