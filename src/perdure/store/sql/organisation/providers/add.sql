-- A new provider. Nothing comes back where the name is taken.
INSERT INTO providers (organisation_id, name, dialect, base_url, enabled, options)
VALUES ($1, $2, $3, $4, $5, $6)
ON CONFLICT DO NOTHING
RETURNING id, name, dialect, base_url, enabled, options, NULL::bytea AS secret
