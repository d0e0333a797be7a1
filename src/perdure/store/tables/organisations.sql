-- name: organisations.add
-- A new organisation.
INSERT INTO organisations (name) VALUES ($1) RETURNING id

-- name: organisations.first
-- The organisation that new people belong to.
SELECT id FROM organisations ORDER BY created_at, id LIMIT 1

-- name: organisations.every
-- Every organisation, whose settings say what is kept how long.
SELECT id FROM organisations ORDER BY id
