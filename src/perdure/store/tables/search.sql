-- name: search.behind
-- Chats whose history search has not caught up with: what a crash left undone.
SELECT c.id
FROM chats c
LEFT JOIN search_progress p ON p.chat_id = c.id
WHERE c.history_version > coalesce(p.revision, 0)
LIMIT $1

-- name: search.unindexed
-- Messages of these chats that search does not know yet in their newest form, after a place: $2 chat, $3 revision, $4 number.
SELECT m.chat_id, m.number, m.revision, m.parts, m.hidden_in IS NULL AND m.visibility <> 'model'
    AND m.role IN ('user', 'assistant') AS shown
FROM messages m
LEFT JOIN search_progress p ON p.chat_id = m.chat_id
WHERE m.chat_id = ANY($1::uuid[]) AND m.revision > coalesce(p.revision, 0)
    AND (m.chat_id, m.revision, m.number) > ($2, $3, $4)
ORDER BY m.chat_id, m.revision, m.number
LIMIT $5

-- name: search.index
-- Put the words of messages into search: $1 chats, $2 numbers, $3 texts (empty: not shown any more); $4, $5 how far each
-- chat has come. A chat that is gone meanwhile is left out.
WITH words AS (
    SELECT w.chat_id, w.number, w.text
    FROM unnest($1::uuid[], $2::integer[], $3::text[]) AS w(chat_id, number, text)
    JOIN chats c ON c.id = w.chat_id
), gone AS (
    DELETE FROM search_documents d USING words w WHERE d.chat_id = w.chat_id AND d.number = w.number AND w.text = ''
), put AS (
    INSERT INTO search_documents (chat_id, number, text, document)
    SELECT w.chat_id, w.number, w.text, to_tsvector('english', w.text) || to_tsvector('simple', w.text)
    FROM words w WHERE w.text <> ''
    ON CONFLICT (chat_id, number) DO UPDATE SET text = excluded.text, document = excluded.document
)
INSERT INTO search_progress (chat_id, revision)
SELECT p.chat_id, p.revision FROM unnest($4::uuid[], $5::bigint[]) AS p(chat_id, revision) JOIN chats c ON c.id = p.chat_id
ON CONFLICT (chat_id) DO UPDATE SET revision = greatest(search_progress.revision, excluded.revision)
