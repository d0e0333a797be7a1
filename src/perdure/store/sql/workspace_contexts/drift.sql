-- Say of every chat that pinned a workspace's context whether it is still the present one; which cards changed by that.
UPDATE chat_cards c SET context_dirty = p.hash <> $2, metadata_version = c.metadata_version + 1
FROM workspace_contexts p
WHERE p.workspace_id = $1 AND c.id = p.chat_id AND p.hash <> '' AND c.context_dirty <> (p.hash <> $2)
RETURNING c.id, c.metadata_version
