-- name: links.of_chat
-- The link of a root chat of one's own.
SELECT l.id, l.created_at
FROM chat_cards k JOIN chat_links l ON l.chat_id = k.id
WHERE k.id = $3 AND k.owner_id = $1 AND k.organisation_id = $2

-- name: links.make
-- Make a link to a root chat of one's own, or find the one that there is.
WITH mine AS (
    SELECT k.id FROM chat_cards k
    WHERE k.id = $3 AND k.owner_id = $1 AND k.organisation_id = $2 AND k.parent_id IS NULL
), made AS (
    INSERT INTO chat_links (id, chat_id) SELECT $4, mine.id FROM mine
    ON CONFLICT (chat_id) DO UPDATE SET chat_id = excluded.chat_id
    RETURNING id, created_at
)
SELECT id, created_at FROM made

-- name: links.take_back
-- Take the link to a chat of one's own back, and with it the right of those who came by it. The card's new version.
WITH gone AS (
    DELETE FROM chat_links l USING chat_cards k
    WHERE k.id = $3 AND k.owner_id = $1 AND k.organisation_id = $2 AND l.chat_id = k.id
    RETURNING l.chat_id
)
UPDATE chat_cards k SET metadata_version = k.metadata_version + 1, changed_at = now()
FROM gone WHERE k.id = gone.chat_id
RETURNING k.metadata_version

-- name: links.follow
-- Let somebody of the same organisation read the chat that a link leads to. Which chat that is, and its card's new version.
WITH found AS (
    SELECT l.id AS link_id, k.id AS chat_id, k.owner_id
    FROM chat_links l JOIN chat_cards k ON k.id = l.chat_id
    WHERE l.id = $3 AND k.organisation_id = $2
), shared AS (
    INSERT INTO chat_shares (chat_id, user_id, link_id)
    SELECT found.chat_id, $1, found.link_id FROM found WHERE found.owner_id <> $1
    ON CONFLICT DO NOTHING
    RETURNING chat_id
), touched AS (
    UPDATE chat_cards k SET metadata_version = k.metadata_version + 1, changed_at = now()
    FROM shared WHERE k.id = shared.chat_id
    RETURNING k.metadata_version
)
SELECT found.chat_id, (SELECT metadata_version FROM touched) AS metadata_version FROM found
