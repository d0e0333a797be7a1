-- Remove a hook with its log.
DELETE FROM hooks h WHERE h.organisation_id = $1 AND h.id = $2 RETURNING h.id
