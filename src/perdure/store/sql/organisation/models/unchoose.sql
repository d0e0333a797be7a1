-- No model is the default.
UPDATE model_settings m SET chosen = false WHERE m.organisation_id = $1 AND m.chosen RETURNING m.name
