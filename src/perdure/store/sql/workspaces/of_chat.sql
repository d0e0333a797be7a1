-- The workspace of a chat. Whatever its card names, only a workspace of the same owner counts.
SELECT w.* FROM chat_cards c JOIN workspaces w ON w.id = c.workspace_id AND w.owner_id = c.owner_id WHERE c.id = $1
