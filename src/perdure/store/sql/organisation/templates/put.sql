-- Bring a template, or another version of it.
INSERT INTO templates (organisation_id, name, recipe, readme, files) VALUES ($1, $2, $3, $4, $5)
ON CONFLICT (organisation_id, name) DO UPDATE SET
    recipe = excluded.recipe, readme = excluded.readme, files = excluded.files, updated_at = now()
RETURNING name
