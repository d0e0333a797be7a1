-- Put words on a card: a title only while it is the first words of the chat, the rest only if no turn came since.
UPDATE chat_cards SET
    title = CASE WHEN title_source = 'fallback' AND $3 <> '' THEN $3 ELSE title END,
    title_source = CASE WHEN title_source = 'fallback' AND $3 <> '' THEN 'generated' ELSE title_source END,
    turn_label = CASE WHEN turns = $2 AND $4 <> '' THEN $4 ELSE turn_label END,
    summary = CASE WHEN turns = $2 AND $5 <> '' THEN $5 ELSE summary END,
    summarised_turns = CASE WHEN turns = $2 AND $5 <> '' THEN turns ELSE summarised_turns END,
    metadata_version = metadata_version + 1
WHERE id = $1
RETURNING metadata_version
