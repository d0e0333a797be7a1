-- Set up a model: $2 name, $3 provider, $4 what the provider calls it, $5 shown name, $6 enabled, $7 options. Nothing
-- comes back where the provider is not the organisation's, or the name is taken.
INSERT INTO model_settings (organisation_id, name, provider_id, model, display_name, enabled, options)
SELECT $1, $2, p.id, $4, $5, $6, $7 FROM providers p WHERE p.organisation_id = $1 AND p.id = $3
ON CONFLICT DO NOTHING
RETURNING name
