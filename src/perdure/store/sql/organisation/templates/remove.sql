-- Take a template away. Workspaces that were made from it go on.
DELETE FROM templates WHERE organisation_id = $1 AND name = $2 RETURNING name
