-- name: cards.charge_description
-- Count what a description of a chat cost that somebody asked for; $2 is null where there is no price.
UPDATE chat_cards SET
    words_calls = words_calls + 1,
    words_unpriced = words_unpriced + ($2::bigint IS NULL)::integer,
    words_cost = words_cost + coalesce($2, 0)
WHERE id = $1

-- name: cards.describe
-- Put a description on a card: a title only while it is the first words of the chat, the rest only if its history is
-- still $8. $2 is the turn that it is about. $6 says whether a model found it, $7 what that cost.
UPDATE chat_cards c SET
    title = CASE WHEN c.title_source = 'fallback' AND $3 <> '' THEN $3 ELSE c.title END,
    title_source = CASE WHEN c.title_source = 'fallback' AND $3 <> '' THEN 'generated' ELSE c.title_source END,
    turn_label = CASE WHEN e.history_version = $8 AND $4 <> '' THEN $4 ELSE c.turn_label END,
    summary = CASE WHEN e.history_version = $8 AND $5 <> '' THEN $5 ELSE c.summary END,
    summarised_turns = CASE WHEN e.history_version = $8 AND $5 <> '' THEN c.turns ELSE c.summarised_turns END,
    described_turns = CASE WHEN c.turns = $2 THEN c.turns ELSE c.described_turns END,
    words_calls = c.words_calls + $6::boolean::integer,
    words_unpriced = c.words_unpriced + ($6 AND $7::bigint IS NULL)::integer,
    words_cost = c.words_cost + coalesce($7, 0),
    metadata_version = c.metadata_version + 1
FROM chats e
WHERE c.id = $1 AND e.id = c.id
RETURNING c.metadata_version

-- name: cards.owner
-- Whose chat it is.
SELECT owner_id FROM chat_cards WHERE id = $1

-- name: cards.take_undescribed
-- Take chats at rest whose last turn nobody has described: whoever was to do it is gone. It ended between $1 and $2 ago.
WITH late AS (
    SELECT c.id
    FROM inbox i
    JOIN chat_cards c ON c.id = i.chat_id
    JOIN chats e ON e.id = c.id
    WHERE i.kind IN ('finished', 'needs_you') AND i.created_at > now() - $1::interval
        AND c.described_turns < c.turns AND e.status = 'waiting' AND e.updated_at < now() - $2::interval
    LIMIT $3
    FOR UPDATE OF c SKIP LOCKED
)
UPDATE chat_cards c SET described_turns = c.turns
FROM late
WHERE c.id = late.id AND c.described_turns < c.turns
RETURNING c.id AS chat_id, c.owner_id

-- name: cards.attach
-- Give a chat its workspace.
UPDATE chat_cards SET workspace_id = $2, metadata_version = metadata_version + 1
WHERE id = $1 RETURNING metadata_version

-- name: cards.diff
-- Put how the repositories of a workspace stand on the cards of its chats; which cards changed by that.
UPDATE chat_cards c SET diff = $2, metadata_version = c.metadata_version + 1
FROM workspaces w
WHERE c.workspace_id = $1 AND w.id = $1 AND c.owner_id = w.owner_id AND c.diff IS DISTINCT FROM $2
RETURNING c.id AS chat_id, c.metadata_version
