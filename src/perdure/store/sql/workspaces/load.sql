-- One workspace.
SELECT * FROM workspaces WHERE id = $1
