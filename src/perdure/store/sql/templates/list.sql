-- The templates that an organisation brought, without their files.
SELECT name, recipe, readme FROM templates WHERE organisation_id = $1 ORDER BY name
