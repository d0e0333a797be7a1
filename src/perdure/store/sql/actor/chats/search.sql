-- Chats that somebody may read and that say $3, best first, each with where: $4 archived, $5 shared only, $6 unread only,
-- $7 labels, $8 title, $9 source, $10 repository, $11 pull request, $12 how many to pass over, $13 how many.
WITH wanted AS (
    SELECT websearch_to_tsquery('english', $3) || websearch_to_tsquery('simple', $3) AS words
), hits AS (
    SELECT d.chat_id, d.text, ts_rank_cd(d.document, wanted.words) AS rank
    FROM wanted, search_documents d
    WHERE d.document @@ wanted.words AND d.chat_id IN (
        SELECT c.id FROM chat_cards c WHERE c.owner_id = $1 AND c.organisation_id = $2
        UNION ALL
        SELECT c.id
        FROM chat_shares s JOIN chat_cards c ON c.id = s.chat_id OR c.root_id = s.chat_id
        WHERE c.organisation_id = $2 AND (s.user_id = $1
            OR s.group_id IN (SELECT m.group_id FROM group_members m WHERE m.user_id = $1))
    )
), best AS (
    SELECT DISTINCT ON (coalesce(c.root_id, c.id)) coalesce(c.root_id, c.id) AS id, h.text, h.rank
    FROM hits h JOIN chat_cards c ON c.id = h.chat_id
    ORDER BY coalesce(c.root_id, c.id), h.rank DESC
), named AS (
    SELECT k.id, k.title AS text, 2.0::real AS rank
    FROM chat_cards k, wanted
    WHERE k.parent_id IS NULL AND k.organisation_id = $2 AND (k.owner_id = $1 OR may_read(k.id, k.root_id, k.owner_id, $1))
        AND ($3 = '' OR (to_tsvector('english', k.title) || to_tsvector('simple', k.title)) @@ wanted.words)
), found AS (
    SELECT id, max(rank) + count(*) * 0.01 AS rank, (array_agg(text ORDER BY length(text) DESC))[1] AS text
    FROM (SELECT * FROM best UNION ALL SELECT * FROM named) AS all_of_them
    GROUP BY id
)
SELECT e.*, k.*, coalesce(r.number, 0) AS read_number,
    ts_headline('simple', found.text, wanted.words, 'MaxWords=24, MinWords=8, StartSel=**, StopSel=**') AS snippet
FROM wanted, found
JOIN cards k ON k.id = found.id
JOIN chats e ON e.id = k.id
LEFT JOIN read_markers r ON r.chat_id = k.id AND r.user_id = $1
WHERE ($4::boolean IS NULL OR e.archived = $4)
    AND ($5::boolean IS NULL OR (k.owner_id <> $1) = $5)
    AND ($6::boolean IS NULL OR (e.last_assistant > coalesce(r.number, 0)) = $6)
    AND ($7::jsonb IS NULL OR k.labels @> $7)
    AND ($8::text IS NULL OR k.title ILIKE '%' || $8 || '%')
    AND ($9::text IS NULL OR k.source = $9)
    AND ($10::text IS NULL OR k.diff::jsonb ->> 'origin' ILIKE '%' || $10 || '%')
    AND ($11::text IS NULL OR k.diff::jsonb ->> 'pull_request_url' ILIKE '%' || $11 || '%')
ORDER BY found.rank DESC, k.listed_at DESC, k.id
OFFSET $12
LIMIT $13
