-- Forget a workspace that is gone, and let no chat point at it.
WITH detached AS (
    UPDATE chat_cards SET workspace_id = NULL, diff = NULL, metadata_version = metadata_version + 1
    WHERE workspace_id = $1
)
DELETE FROM workspaces WHERE id = $1
