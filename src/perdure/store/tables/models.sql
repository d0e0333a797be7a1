-- name: models.listed
-- The models of an organisation.
SELECT name, provider_id, model, display_name, enabled, chosen, options
FROM model_settings
WHERE organisation_id = $1
ORDER BY name

-- name: models.of_all
-- How the models of everybody are used.
SELECT name, options FROM model_settings ORDER BY name, organisation_id

-- name: models.add
-- Set up a model: $2 name, $3 provider, $4 what the provider calls it, $5 shown name, $6 enabled, $7 options. Nothing
-- comes back where the provider is not the organisation's.
INSERT INTO model_settings (organisation_id, name, provider_id, model, display_name, enabled, options)
SELECT $1, $2, p.id, $4, $5, $6, $7 FROM providers p WHERE p.organisation_id = $1 AND p.id = $3
RETURNING name

-- name: models.change
-- Change a model: $3 what the provider calls it, $4 shown name, $5 enabled, $6 options. Null leaves it as it is.
UPDATE model_settings m SET
    model = coalesce($3, m.model), display_name = coalesce($4, m.display_name), enabled = coalesce($5, m.enabled),
    options = coalesce($6, m.options)
WHERE m.organisation_id = $1 AND m.name = $2
RETURNING m.name

-- name: models.choose
-- Make a model the default of chats that name none.
UPDATE model_settings m SET chosen = true WHERE m.organisation_id = $1 AND m.name = $2 RETURNING m.name

-- name: models.choose_alone
-- Let one after the other choose a default: each would wait for the model that the other lets go.
SELECT FROM organisations WHERE id = $1 FOR NO KEY UPDATE

-- name: models.unchoose
-- No model is the default.
UPDATE model_settings m SET chosen = false WHERE m.organisation_id = $1 AND m.chosen

-- name: models.delete
-- Remove a model.
DELETE FROM model_settings m WHERE m.organisation_id = $1 AND m.name = $2 RETURNING m.name

-- name: models.put_demo
-- The demo's model.
INSERT INTO model_settings (organisation_id, name, provider_id, model, display_name, chosen, options)
VALUES ($1, 'demo', $2, 'demo', 'Demo agent', true, $3)
ON CONFLICT DO NOTHING
