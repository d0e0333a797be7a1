-- The workspace that chat $1 acts in, and what chat $2 pinned of its context.
SELECT w.id AS workspace_id, p.hash, p.snapshot, p.turns
FROM chat_cards c
JOIN workspaces w ON w.id = c.workspace_id AND w.owner_id = c.owner_id
LEFT JOIN workspace_contexts p ON p.chat_id = $2 AND p.workspace_id = w.id
WHERE c.id = $1
