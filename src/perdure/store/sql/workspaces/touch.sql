-- Say that a workspace is in use.
UPDATE workspaces SET used_at = now() WHERE id = $1
