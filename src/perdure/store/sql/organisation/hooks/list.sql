-- The hooks of an organisation, oldest first.
SELECT id, options, secret FROM hooks WHERE organisation_id = $1 ORDER BY created_at, id
