-- Change a model: $3 what the provider calls it, $4 shown name, $5 enabled, $6 options. Null leaves it as it is.
UPDATE model_settings m SET
    model = coalesce($3, m.model), display_name = coalesce($4, m.display_name), enabled = coalesce($5, m.enabled),
    options = coalesce($6, m.options)
WHERE m.organisation_id = $1 AND m.name = $2
RETURNING m.name
