-- name: links.of_chat
-- The link of a root chat of one's own.
SELECT l.id, l.created_at, l.role::text AS role
FROM chat_cards k JOIN chat_links l ON l.chat_id = k.id
WHERE k.id = $3 AND k.owner_id = $1 AND k.organisation_id = $2

-- name: links.make
-- Make a link to a root chat of one's own, or find the one that there is. Those who came by it have its role $5.
WITH mine AS (
    SELECT k.id FROM chat_cards k
    WHERE k.id = $3 AND k.owner_id = $1 AND k.organisation_id = $2 AND k.parent_id IS NULL
), made AS (
    INSERT INTO chat_links (id, chat_id, role) SELECT $4, mine.id, $5::text FROM mine
    ON CONFLICT (chat_id) DO UPDATE SET role = excluded.role
    RETURNING id, created_at, role, chat_id
), shared AS (
    UPDATE chat_shares s SET role = made.role FROM made WHERE s.link_id = made.id AND s.role <> made.role
), touched AS (
    UPDATE chat_cards k SET metadata_version = k.metadata_version + 1, changed_at = now() FROM made WHERE k.id = made.chat_id
    RETURNING k.metadata_version
)
SELECT made.id, made.created_at, made.role::text AS role, touched.metadata_version FROM made, touched

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
    SELECT l.id AS link_id, l.role, k.id AS chat_id, k.owner_id
    FROM chat_links l JOIN chat_cards k ON k.id = l.chat_id
    WHERE l.id = $3 AND k.organisation_id = $2
), shared AS (
    INSERT INTO chat_shares (chat_id, user_id, link_id, role)
    SELECT found.chat_id, $1, found.link_id, found.role FROM found WHERE found.owner_id <> $1
    ON CONFLICT DO NOTHING
    RETURNING chat_id
), touched AS (
    UPDATE chat_cards k SET metadata_version = k.metadata_version + 1, changed_at = now()
    FROM shared WHERE k.id = shared.chat_id
    RETURNING k.metadata_version
)
SELECT found.chat_id, (SELECT metadata_version FROM touched) AS metadata_version FROM found
