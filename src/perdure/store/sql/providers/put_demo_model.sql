-- The demo's model.
INSERT INTO model_settings (organisation_id, name, provider_id, model, display_name, chosen, options)
VALUES ($1, 'demo', $2, 'demo', 'Demo agent', true, $3)
ON CONFLICT DO NOTHING
