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
