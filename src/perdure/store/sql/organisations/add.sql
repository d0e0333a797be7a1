-- A new organisation.
INSERT INTO organisations (name) VALUES ($1) RETURNING id
