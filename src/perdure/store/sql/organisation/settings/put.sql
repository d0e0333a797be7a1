-- Set something for the organisation.
INSERT INTO settings (organisation_id, name, value) VALUES ($1, $2, $3)
ON CONFLICT (organisation_id, name) DO UPDATE SET value = excluded.value, updated_at = now()
RETURNING name
