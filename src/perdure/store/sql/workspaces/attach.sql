-- Give a chat its workspace.
UPDATE chat_cards SET workspace_id = $2, metadata_version = metadata_version + 1
WHERE id = $1 RETURNING metadata_version
