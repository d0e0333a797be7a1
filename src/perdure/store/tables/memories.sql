-- name: memories.listed
-- Memories that somebody may see: their own and their organisation's, newest first; with words $6 the best first.
-- $3 only the organisation's, $4 only those of a label, $5 a piece of text, $7 those before this one, $8 how many.
WITH ranked AS (
    SELECT m.id, m.owner_id, m.label, m.text, m.by_agent, m.chat_id, m.message, m.created_at, m.updated_at,
        CASE WHEN $6::text = '' THEN 0 ELSE ts_rank(m.document, any_word($6)) END AS rank
    FROM memories m
    WHERE m.organisation_id = $2 AND (m.owner_id = $1 OR m.owner_id IS NULL)
        AND ($3::boolean IS NULL OR (m.owner_id IS NULL) = $3)
        AND ($4::text IS NULL OR m.label = $4)
        AND ($6 = '' OR m.document @@ any_word($6) OR m.text ILIKE '%' || $5 || '%')
)
SELECT r.id, r.owner_id, r.label, r.text, r.by_agent, r.chat_id, r.message, r.created_at, r.updated_at
FROM ranked r
WHERE $7::uuid IS NULL
    OR (r.rank, r.created_at, r.id) < (SELECT b.rank, b.created_at, b.id FROM ranked b WHERE b.id = $7)
ORDER BY r.rank DESC, r.created_at DESC, r.id DESC
LIMIT $8

-- name: memories.one
-- A memory that somebody may see.
SELECT m.id, m.owner_id, m.label, m.text, m.by_agent, m.chat_id, m.message, m.created_at, m.updated_at
FROM memories m WHERE m.organisation_id = $2 AND (m.owner_id = $1 OR m.owner_id IS NULL) AND m.id = $3

-- name: memories.add
-- A new memory, unless its owner has $9 already. What is there already, by its id or by its text, is not added again.
INSERT INTO memories (id, organisation_id, owner_id, label, text, by_agent, written_by, chat_id, message)
SELECT $3, u.organisation_id, CASE WHEN NOT $4 THEN u.id END, $5, $6, $7::uuid IS NOT NULL, u.id, k.id, $8
FROM users u LEFT JOIN chat_cards k ON k.id = $7
WHERE u.id = $1 AND u.organisation_id = $2
    AND (SELECT count(*) FROM memories o WHERE o.organisation_id = $2
        AND o.owner_id IS NOT DISTINCT FROM CASE WHEN NOT $4 THEN $1 END) < $9::bigint
ON CONFLICT DO NOTHING
RETURNING id

-- name: memories.alike
-- The memory with this id, or with the same text.
SELECT m.id, m.owner_id, m.label, m.text, m.by_agent, m.chat_id, m.message, m.created_at, m.updated_at
FROM memories m
WHERE m.organisation_id = $2 AND m.owner_id IS NOT DISTINCT FROM CASE WHEN NOT $4 THEN $1::uuid END
    AND (m.id = $3 OR (m.label = $5 AND m.text = $6))
ORDER BY m.id = $3 DESC
LIMIT 1

-- name: memories.change
-- Say a memory differently: one's own, or with $6 the organisation's.
UPDATE memories m SET text = $4, label = $5, updated_at = now()
WHERE m.organisation_id = $2 AND m.id = $3 AND (m.owner_id = $1 OR ($6 AND m.owner_id IS NULL))
RETURNING m.id, m.owner_id, m.label, m.text, m.by_agent, m.chat_id, m.message, m.created_at, m.updated_at

-- name: memories.forget
-- Forget a memory: one's own, or with $4 the organisation's.
DELETE FROM memories m
WHERE m.organisation_id = $2 AND m.id = $3 AND (m.owner_id = $1 OR ($4 AND m.owner_id IS NULL))
RETURNING m.owner_id

-- name: memories.forget_all
-- Forget everything of one's own.
DELETE FROM memories m WHERE m.owner_id = $1 AND m.organisation_id = $2

-- name: memories.has_person
-- Whether a person has any.
SELECT EXISTS (SELECT FROM memories m WHERE m.owner_id = $1)

-- name: memories.has_organisation
-- Whether an organisation has any of its own.
SELECT EXISTS (SELECT FROM memories m WHERE m.organisation_id = $1 AND m.owner_id IS NULL)

-- name: memories.told
-- What the prompt of a chat says, newest first: what was kept before the chat began, or before its newest summary, with
-- which the prompt begins anew. So it is the same from turn to turn. $2 how many.
SELECT m.owner_id, m.label, m.text, count(*) OVER () AS total
FROM chat_cards k
JOIN chat_cards r ON r.id = coalesce(k.root_id, k.id)
JOIN memories m ON m.organisation_id = k.organisation_id
    AND (m.owner_id IS NULL OR (m.owner_id = k.owner_id AND is_private(r.id)))
    AND (m.label = '' OR m.label IN (SELECT l.key || ':' || l.value FROM jsonb_each_text(r.labels) l))
    AND m.created_at <= greatest(k.created_at, (SELECT max(i.created_at) FROM imports i WHERE i.chat_id = k.id), (
        SELECT max(b.created_at) FROM messages b WHERE b.chat_id = k.id AND b.kind = 'boundary' AND b.hidden_in IS NULL
    ))
WHERE k.id = $1
ORDER BY m.created_at DESC, m.id DESC
LIMIT $2

-- name: memories.search
-- What the agents of a chat may find by any of these words, best first; without words the newest. $3 how many.
SELECT m.owner_id, m.label, m.text, count(*) OVER () AS total
FROM chat_cards k
JOIN chat_cards r ON r.id = coalesce(k.root_id, k.id)
JOIN memories m ON m.organisation_id = k.organisation_id
    AND (m.owner_id IS NULL OR (m.owner_id = k.owner_id AND is_private(r.id)))
    AND (m.label = '' OR m.label IN (SELECT l.key || ':' || l.value FROM jsonb_each_text(r.labels) l))
WHERE k.id = $1 AND ($2::text = '' OR m.document @@ any_word($2))
ORDER BY CASE WHEN $2 = '' THEN 0 ELSE -ts_rank(m.document, any_word($2)) END, m.created_at DESC, m.id DESC
LIMIT $3

-- name: memories.place
-- Where an agent would keep something: whether nobody else reads its chat or speaks in it, and the labels that it has.
SELECT is_private(r.id) AND r.source <> 'trigger' AS private, ARRAY(
    SELECT l.key || ':' || l.value FROM jsonb_each_text(r.labels) l ORDER BY 1
) AS labels
FROM chat_cards k JOIN chat_cards r ON r.id = coalesce(k.root_id, k.id)
WHERE k.id = $1
