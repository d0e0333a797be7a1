-- name: workspace_contexts.load
-- The workspace that chat $1 acts in, and what chat $2 pinned of its context.
SELECT w.id AS workspace_id, p.hash, p.snapshot, p.turns
FROM chat_cards c
JOIN workspaces w ON w.id = c.workspace_id AND w.owner_id = c.owner_id
LEFT JOIN workspace_contexts p ON p.chat_id = $2 AND p.workspace_id = w.id
WHERE c.id = $1

-- name: workspace_contexts.pin
-- Pin what a workspace tells a chat. The card is no longer dirty; its version comes back where that is news.
WITH pinned AS (
    INSERT INTO workspace_contexts (chat_id, workspace_id, hash, snapshot, turns) VALUES ($1, $2, $3, $4, $5)
    ON CONFLICT (chat_id) DO UPDATE SET
        workspace_id = excluded.workspace_id, hash = excluded.hash, snapshot = excluded.snapshot,
        turns = excluded.turns, pinned_at = now()
)
UPDATE chat_cards SET context_dirty = false, metadata_version = metadata_version + 1
WHERE id = $1 AND context_dirty
RETURNING metadata_version

-- name: workspace_contexts.drift
-- Say of every chat that pinned a workspace's context whether it is still the present one; which cards changed by that.
UPDATE chat_cards c SET context_dirty = p.hash <> $2, metadata_version = c.metadata_version + 1
FROM workspace_contexts p
WHERE p.workspace_id = $1 AND c.id = p.chat_id AND p.hash <> '' AND c.context_dirty <> (p.hash <> $2)
RETURNING c.id AS chat_id, c.metadata_version
