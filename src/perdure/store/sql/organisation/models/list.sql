-- The models of an organisation.
SELECT name, provider_id, model, display_name, enabled, chosen, options
FROM model_settings
WHERE organisation_id = $1
ORDER BY name
