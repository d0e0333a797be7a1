-- A workspace of whoever asks, if no chat acts in it.
SELECT w.* FROM workspaces w
WHERE w.owner_id = $1 AND w.organisation_id = $2 AND w.id = $3
    AND NOT EXISTS (SELECT FROM chat_cards k WHERE k.workspace_id = w.id)
