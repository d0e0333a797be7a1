-- Say how a workspace stands.
UPDATE workspaces SET status = $2, error = $3, used_at = now() WHERE id = $1
