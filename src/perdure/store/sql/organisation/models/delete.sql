-- Remove a model.
DELETE FROM model_settings m WHERE m.organisation_id = $1 AND m.name = $2 RETURNING m.name
