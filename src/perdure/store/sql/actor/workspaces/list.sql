-- The workspaces of whoever asks, newest first.
SELECT * FROM workspaces WHERE owner_id = $1 AND organisation_id = $2 ORDER BY created_at DESC LIMIT 200
