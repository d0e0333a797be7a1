-- Put how the repositories of a workspace stand on the cards of its chats; which cards changed by that.
UPDATE chat_cards c SET diff = $2, metadata_version = c.metadata_version + 1
FROM workspaces w
WHERE c.workspace_id = $1 AND w.id = $1 AND c.owner_id = w.owner_id AND c.diff IS DISTINCT FROM $2
RETURNING c.id, c.metadata_version
