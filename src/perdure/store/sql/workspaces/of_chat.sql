-- The workspace of a chat.
SELECT w.* FROM chat_cards c JOIN workspaces w ON w.id = c.workspace_id WHERE c.id = $1
