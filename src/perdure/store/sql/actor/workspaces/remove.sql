-- Forget a workspace that is gone, and let no chat point at it.
WITH detached AS (UPDATE chat_cards SET workspace_id = NULL, diff = NULL, metadata_version = metadata_version + 1 WHERE workspace_id = $3)
DELETE FROM workspaces WHERE owner_id = $1 AND organisation_id = $2 AND id = $3 RETURNING id
