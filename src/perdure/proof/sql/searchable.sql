-- Give chats messages that search knows: of 24 to 36 words, some used often and most seldom, as people do.
-- $1 the chats, $2 how many messages of each.
INSERT INTO search_documents (chat_id, number, text, document)
SELECT c.id, 1000 + n, said.text, to_tsvector('english', said.text) || to_tsvector('simple', said.text)
FROM unnest($1::uuid[]) AS c(id), generate_series(1, $2::integer) AS n, LATERAL (
    SELECT string_agg('word' || floor(exp(random() * 10.8))::integer, ' ') AS text
    FROM generate_series(1, 24 + (n + abs(hashtext(c.id::text))) % 13)
) AS said
