-- Count what words about a chat cost that somebody asked for; $2 is null where there is no price.
UPDATE chat_cards SET
    words_calls = words_calls + 1,
    words_unpriced = words_unpriced + ($2::bigint IS NULL)::integer,
    words_cost = words_cost + coalesce($2, 0)
WHERE id = $1
