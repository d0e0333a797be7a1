-- A template that an organisation brought.
SELECT name, recipe, readme, files FROM templates WHERE organisation_id = $1 AND name = $2
