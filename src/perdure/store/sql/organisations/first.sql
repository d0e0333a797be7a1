-- The organisation that new people belong to.
SELECT id FROM organisations ORDER BY created_at, id LIMIT 1
