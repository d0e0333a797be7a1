-- One workspace of whoever asks.
SELECT * FROM workspaces WHERE owner_id = $1 AND organisation_id = $2 AND id = $3
