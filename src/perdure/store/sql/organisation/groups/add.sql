-- A new group. Nothing comes back where the name is taken.
INSERT INTO groups (organisation_id, name) VALUES ($1, $2) ON CONFLICT DO NOTHING RETURNING id, name, created_at
