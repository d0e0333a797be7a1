-- name: templates.listed
-- The templates that an organisation brought, without their files.
SELECT name, recipe, readme FROM templates WHERE organisation_id = $1 ORDER BY name

-- name: templates.everybodys
-- The templates that any organisation brought, without their files.
SELECT name, recipe, readme FROM templates ORDER BY organisation_id, name LIMIT 1000

-- name: templates.load
-- A template that an organisation brought.
SELECT name, recipe, readme, files FROM templates WHERE organisation_id = $1 AND name = $2

-- name: templates.put
-- Bring a template, or another version of it.
INSERT INTO templates (organisation_id, name, recipe, readme, files) VALUES ($1, $2, $3, $4, $5)
ON CONFLICT (organisation_id, name) DO UPDATE SET
    recipe = excluded.recipe, readme = excluded.readme, files = excluded.files, updated_at = now()

-- name: templates.remove
-- Take a template away. Workspaces that were made from it go on.
DELETE FROM templates WHERE organisation_id = $1 AND name = $2 RETURNING name
