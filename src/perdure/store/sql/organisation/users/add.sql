-- A new person. Nothing comes back where the address is taken.
INSERT INTO users (organisation_id, email, name, role, password_hash)
VALUES ($1, $2, $3, $4, $5)
ON CONFLICT DO NOTHING
RETURNING id, email, name, role, false AS disabled, created_at
