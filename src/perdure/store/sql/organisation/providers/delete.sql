-- Remove a provider with its keys and models.
DELETE FROM providers p WHERE p.organisation_id = $1 AND p.id = $2 RETURNING p.id
