-- Put words on a card: a title only while it is the first words of the chat, the rest only if no turn came since.
-- $6 says whether a model found them, $7 what that cost.
UPDATE chat_cards SET
    title = CASE WHEN title_source = 'fallback' AND $3 <> '' THEN $3 ELSE title END,
    title_source = CASE WHEN title_source = 'fallback' AND $3 <> '' THEN 'generated' ELSE title_source END,
    turn_label = CASE WHEN turns = $2 AND $4 <> '' THEN $4 ELSE turn_label END,
    summary = CASE WHEN turns = $2 AND $5 <> '' THEN $5 ELSE summary END,
    summarised_turns = CASE WHEN turns = $2 AND $5 <> '' THEN turns ELSE summarised_turns END,
    words_calls = words_calls + $6::boolean::integer,
    words_unpriced = words_unpriced + ($6 AND $7::bigint IS NULL)::integer,
    words_cost = words_cost + coalesce($7, 0),
    metadata_version = metadata_version + 1
WHERE id = $1
RETURNING metadata_version
