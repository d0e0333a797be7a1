-- name: imports.one
-- What a chat of another program became.
SELECT i.chat_id, i.generation FROM imports i JOIN users u ON u.id = i.owner_id
WHERE i.owner_id = $1 AND u.organisation_id = $2 AND i.source = $3 AND i.source_id = $4

-- name: imports.keys
-- The messages of a chat of one's own, as far as it matters which are there.
SELECT m.number, m.role, m.client_id, m.hidden_in IS NOT NULL AS hidden
FROM messages m JOIN chat_cards k ON k.id = m.chat_id
WHERE k.owner_id = $1 AND k.organisation_id = $2 AND k.id = $3 AND m.kind = 'ordinary'
ORDER BY m.number

-- name: imports.settle
-- Note which chat it became, the $6-th, and give that the times of what was said in it: from $7 to $8. It is read.
WITH noted AS (
    INSERT INTO imports AS i (owner_id, source, source_id, chat_id, generation)
    SELECT u.id, $3, $4, $5, $6 FROM users u WHERE u.id = $1 AND u.organisation_id = $2
    ON CONFLICT (owner_id, source, source_id) DO UPDATE SET chat_id = excluded.chat_id, generation = excluded.generation
    WHERE i.generation <= excluded.generation AND i.chat_id IS NOT NULL
), read AS (
    INSERT INTO read_markers AS r (user_id, chat_id, number)
    SELECT $1, $5, e.next_message - 1 FROM chats e WHERE e.id = $5
    ON CONFLICT (user_id, chat_id) DO UPDATE SET number = greatest(r.number, excluded.number)
)
UPDATE chat_cards k SET created_at = least(k.created_at, $7), updated_at = $8, metadata_version = k.metadata_version + 1
WHERE k.id = $5 AND k.owner_id = $1 AND k.organisation_id = $2
RETURNING k.metadata_version
