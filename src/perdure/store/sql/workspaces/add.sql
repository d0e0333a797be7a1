-- Begin to make a workspace. The same id is begun once.
INSERT INTO workspaces (id, organisation_id, owner_id, driver, template, parameters)
VALUES ($1, $2, $3, $4, $5, $6)
ON CONFLICT (id) DO NOTHING
