-- Make a model the default of chats that name none.
UPDATE model_settings m SET chosen = true WHERE m.organisation_id = $1 AND m.name = $2 RETURNING m.name
