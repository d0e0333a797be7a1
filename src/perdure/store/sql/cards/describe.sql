-- Put words on a card: a title only while it is the first words of the chat, the rest only if its history is still $8.
-- $2 is the turn that they are about. $6 says whether a model found them, $7 what that cost.
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
