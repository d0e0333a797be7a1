-- name: chats.page
-- A page of root chats that somebody may read: pinned ones first, then the newest. $3 archived, $4 shared only,
-- $5 unread only, $6 labels, $7 title, $8 source; $9, $10, $11 the pin, time and id of the last one seen; $12 how many.
SELECT e.*, k.*, coalesce(r.number, 0) AS read_number, extract(epoch FROM k.listed_at) AS age
FROM cards k
JOIN chats e ON e.id = k.id
LEFT JOIN read_markers r ON r.chat_id = k.id AND r.user_id = $1
WHERE k.parent_id IS NULL AND k.organisation_id = $2
    AND k.id IN (
        SELECT c.id FROM chat_cards c WHERE c.owner_id = $1
        UNION ALL
        SELECT s.chat_id FROM chat_shares s WHERE s.user_id = $1
        UNION ALL
        SELECT s.chat_id FROM chat_shares s JOIN group_members m ON m.group_id = s.group_id WHERE m.user_id = $1
    )
    AND ($3::boolean IS NULL OR e.archived = $3)
    AND ($4::boolean IS NULL OR (k.owner_id <> $1) = $4)
    AND ($5::boolean IS NULL OR (e.last_assistant > coalesce(r.number, 0)
        OR coalesce(e.asked_by <> $1 AND e.turn > coalesce(r.number, 0), false)) = $5)
    AND ($6::jsonb IS NULL OR k.labels @> $6)
    AND ($7::text IS NULL OR k.title ILIKE '%' || $7 || '%')
    AND ($8::text IS NULL OR k.source = $8)
    AND ($9::integer IS NULL OR (
        CASE WHEN k.owner_id = $1 AND k.pin > 0 THEN k.pin ELSE 2147483647 END,
        -extract(epoch FROM k.listed_at), k.id) > ($9, $10::numeric, $11::uuid))
ORDER BY CASE WHEN k.owner_id = $1 AND k.pin > 0 THEN k.pin ELSE 2147483647 END, -extract(epoch FROM k.listed_at), k.id
LIMIT $12

-- name: chats.beginning_alike
-- The newest of somebody's own chats that begin as $3 says, a digest that the client's protocol made.
SELECT k.id
FROM chat_cards k
JOIN chats e ON e.id = k.id AND NOT e.archived
WHERE k.owner_id = $1 AND k.organisation_id = $2 AND k.labels ? 'openai' AND k.labels ->> 'openai' = $3
ORDER BY k.updated_at DESC
LIMIT $4

-- name: chats.read
-- One chat, its execution state and its card, for its owner or a reader it is shared with.
-- Its owner is who asks at nearly every message, and needs no function to be known.
SELECT e.*, k.*, coalesce(r.number, 0) AS read_number
FROM cards k
JOIN chats e ON e.id = k.id
LEFT JOIN read_markers r ON r.chat_id = k.id AND r.user_id = $1
WHERE k.id = $3 AND k.organisation_id = $2 AND (k.owner_id = $1 OR may_read(k.id, k.root_id, k.owner_id, $1))

-- name: chats.search
-- Chats that somebody may read and that say $3, best first, each with where: $4 archived, $5 shared only, $6 unread only,
-- $7 labels, $8 title, $9 source, $10 repository, $11 pull request, $12 how many to pass over, $13 how many.
WITH wanted AS (
    SELECT websearch_to_tsquery('english', $3) || websearch_to_tsquery('simple', $3) AS words
), hits AS (
    SELECT d.chat_id, d.number, d.text, ts_rank_cd(d.document, wanted.words) AS rank
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
    SELECT DISTINCT ON (coalesce(c.root_id, c.id)) coalesce(c.root_id, c.id) AS id, h.chat_id, h.number, h.text, h.rank
    FROM hits h JOIN chat_cards c ON c.id = h.chat_id
    ORDER BY coalesce(c.root_id, c.id), h.rank DESC
), named AS (
    SELECT k.id, NULL::uuid AS chat_id, NULL::integer AS number, k.title AS text, 2.0::real AS rank
    FROM chat_cards k, wanted
    WHERE k.parent_id IS NULL AND k.organisation_id = $2 AND (k.owner_id = $1 OR may_read(k.id, k.root_id, k.owner_id, $1))
        AND ($3 = '' OR (to_tsvector('english', k.title) || to_tsvector('simple', k.title)) @@ wanted.words)
), found AS (
    -- A chat is there once by its best message and once by its title: the message is what one wants to see.
    SELECT id, max(rank) + count(*) * 0.01 AS rank, (array_agg(text ORDER BY number))[1] AS text,
        (array_agg(chat_id ORDER BY number))[1] AS chat_id, min(number) AS number
    FROM (SELECT * FROM best UNION ALL SELECT * FROM named) AS all_of_them
    GROUP BY id
)
SELECT e.*, k.*, coalesce(r.number, 0) AS read_number,
    ts_headline('simple', found.text, wanted.words, 'MaxWords=24, MinWords=8, StartSel=**, StopSel=**') AS snippet,
    found.chat_id AS found_in, found.number AS found_at
FROM wanted, found
JOIN cards k ON k.id = found.id
JOIN chats e ON e.id = k.id
LEFT JOIN read_markers r ON r.chat_id = k.id AND r.user_id = $1
WHERE ($4::boolean IS NULL OR e.archived = $4)
    AND ($5::boolean IS NULL OR (k.owner_id <> $1) = $5)
    AND ($6::boolean IS NULL OR (e.last_assistant > coalesce(r.number, 0)
        OR coalesce(e.asked_by <> $1 AND e.turn > coalesce(r.number, 0), false)) = $6)
    AND ($7::jsonb IS NULL OR k.labels @> $7)
    AND ($8::text IS NULL OR k.title ILIKE '%' || $8 || '%')
    AND ($9::text IS NULL OR k.source = $9)
    AND ($10::text IS NULL OR k.diff::jsonb ->> 'origin' ILIKE '%' || $10 || '%')
    AND ($11::text IS NULL OR k.diff::jsonb ->> 'pull_request_url' ILIKE '%' || $11 || '%')
ORDER BY found.rank DESC, k.listed_at DESC, k.id
OFFSET $12
LIMIT $13

-- name: chats.related
-- The descendants of these roots that somebody may read, in the order in which they came to be.
SELECT e.*, k.*, coalesce(r.number, 0) AS read_number
FROM cards k
JOIN chats e ON e.id = k.id
LEFT JOIN read_markers r ON r.chat_id = k.id AND r.user_id = $1
WHERE k.root_id = ANY($3::uuid[]) AND k.organisation_id = $2 AND may_read(k.id, k.root_id, k.owner_id, $1)
ORDER BY k.created_at, k.id

-- name: chats.children
-- The children of a chat that somebody may read.
SELECT e.*, k.*, coalesce(r.number, 0) AS read_number
FROM cards k
JOIN chats e ON e.id = k.id
LEFT JOIN read_markers r ON r.chat_id = k.id AND r.user_id = $1
WHERE k.parent_id = $3 AND k.organisation_id = $2 AND may_read(k.id, k.root_id, k.owner_id, $1)
ORDER BY k.created_at, k.id

-- name: chats.patch
-- Change what the owner says about a chat: $4 title, $5 labels, $6 plan mode, $7 model, $8 effort, $9 workspace,
-- $10 pin, $11 client tools, $12 settings. Null leaves a column as it is; an empty text clears model and effort, and the
-- id of zeros the workspace.
UPDATE chat_cards c SET
    title = coalesce($4, c.title),
    title_source = CASE WHEN $4::text IS NULL THEN c.title_source ELSE 'named' END,
    labels = coalesce($5::jsonb, c.labels),
    plan_mode = coalesce($6, c.plan_mode),
    model = CASE WHEN $7::text IS NULL THEN c.model ELSE nullif($7, '') END,
    effort = CASE WHEN $8::text IS NULL THEN c.effort ELSE nullif($8, '') END,
    workspace_id = CASE WHEN $9::uuid IS NULL THEN c.workspace_id ELSE nullif($9, '00000000-0000-0000-0000-000000000000') END,
    pin = coalesce($10, c.pin),
    client_tools = coalesce($11, c.client_tools),
    settings = CASE WHEN $12::text IS NULL THEN c.settings ELSE (c.settings::jsonb || $12::jsonb)::text END,
    metadata_version = c.metadata_version + 1
WHERE c.id = $3 AND c.organisation_id = $2 AND c.owner_id = $1
RETURNING c.metadata_version

-- name: chats.mark_read
-- Remember up to which message somebody has read a chat that they may read. Whoever has read its last answer has read
-- what the inbox says of it, too: how many entries that were.
WITH marked AS (
    INSERT INTO read_markers (user_id, chat_id, number)
    SELECT $1, k.id, $4
    FROM cards k
    WHERE k.id = $3 AND k.organisation_id = $2 AND may_read(k.id, k.root_id, k.owner_id, $1)
    ON CONFLICT (user_id, chat_id) DO UPDATE SET number = excluded.number
    RETURNING chat_id
), told AS (
    UPDATE inbox i SET read_at = now()
    FROM marked
    JOIN chats e ON e.id = marked.chat_id AND $4 > 0 AND $4 >= e.last_assistant
    WHERE i.user_id = $1 AND i.chat_id = marked.chat_id AND i.read_at IS NULL
    RETURNING i.id
)
SELECT count(*) AS told FROM told

-- name: chats.compactable
-- Whether an answer follows the newest summary of a chat of one's own; or whether there is one at all, where that
-- summary is to become shorter.
SELECT EXISTS (
    SELECT FROM messages m
    WHERE m.chat_id = k.id AND m.role = 'assistant' AND m.kind = 'ordinary' AND m.hidden_in IS NULL
        AND ($4::boolean OR m.number > coalesce((
            SELECT max(b.number) FROM messages b WHERE b.chat_id = k.id AND b.kind = 'boundary' AND b.hidden_in IS NULL
        ), 0))
) AS compactable
FROM chat_cards k
WHERE k.id = $3 AND k.organisation_id = $2 AND k.owner_id = $1

-- name: chats.delete
-- Remove an archived root chat of one's own with its whole family.
DELETE FROM chats e
USING chat_cards k, chat_cards root, chats r
WHERE e.id = k.id AND (k.id = $3 OR k.root_id = $3)
    AND root.id = $3 AND root.owner_id = $1 AND root.organisation_id = $2 AND root.parent_id IS NULL
    AND r.id = root.id AND r.archived
RETURNING e.id

-- name: chats.readable
-- Which of these readers may still read which of these chats.
SELECT p.user_id, p.chat_id
FROM unnest($1::uuid[], $2::uuid[]) AS p(user_id, chat_id)
JOIN chat_cards c ON c.id = p.chat_id
WHERE may_read(c.id, c.root_id, c.owner_id, p.user_id)

-- name: chats.versions
-- Where the followed chats stand. A chat that is missing is gone.
SELECT c.id, c.snapshot_version, k.metadata_version, c.line
FROM chats c
JOIN chat_cards k ON k.id = c.id
WHERE c.id = ANY($1::uuid[])

-- name: chats.pasts
-- Where chats stand, and where they stood when the database failed over.
SELECT id, snapshot_version, line, earlier_lines, last_snapshots FROM chats WHERE id = ANY($1::uuid[])

-- name: chats.acquirable
-- Chats that need a driver and have none, or one whose lease ran out by the database's clock; stopping ones first.
SELECT
    c.id, c.worker_id, c.status, d.owner_id,
    now() - coalesce(r.silent_since, r.seen_at, c.updated_at) AS waited,
    now() - coalesce(r.seen_at + $1::interval, c.updated_at) AS orphaned
FROM chats c
JOIN chat_cards d ON d.id = c.id
LEFT JOIN replicas r ON r.id = c.worker_id
WHERE c.status IN ('running', 'interrupting') AND (r.id IS NULL OR r.seen_at <= now() - $1::interval)
ORDER BY c.status = 'running', row_number() OVER (PARTITION BY d.owner_id ORDER BY c.updated_at), c.updated_at
LIMIT $2

-- name: chats.of_removed_at_work
-- Chats at work whose owners were removed, and stopping ones that would go on with their queue.
SELECT c.id
FROM chats c
JOIN chat_cards k ON k.id = c.id
JOIN users u ON u.id = k.owner_id
WHERE c.status IN ('running', 'interrupting') AND (c.status = 'running' OR cardinality(c.queue) > 0)
    AND u.disabled_at IS NOT NULL
LIMIT $1

-- name: chats.of_excluded_at_work
-- Chats at work that answer somebody who may not write there any more, or are about to: which of their messages wait.
SELECT c.id AS chat_id, c.asked_by,
    c.asked_by <> k.owner_id AND NOT may_write(k.id, k.root_id, k.owner_id, c.asked_by) AS answered,
    ARRAY(
        SELECT q.number FROM queued_messages q
        WHERE q.chat_id = c.id AND q.removed_in IS NULL AND q.created_by <> k.owner_id
            AND NOT may_write(k.id, k.root_id, k.owner_id, q.created_by)
    ) AS waiting
FROM chats c
JOIN chat_cards k ON k.id = c.id
WHERE c.status IN ('running', 'interrupting', 'requires_action') AND (
    (c.asked_by <> k.owner_id AND NOT may_write(k.id, k.root_id, k.owner_id, c.asked_by))
    OR (cardinality(c.queue) > 0 AND EXISTS (
        SELECT FROM queued_messages q
        WHERE q.chat_id = c.id AND q.removed_in IS NULL AND q.created_by <> k.owner_id
            AND NOT may_write(k.id, k.root_id, k.owner_id, q.created_by)
    )))
LIMIT $1

-- name: chats.of_person
-- The root chats of one person, newest first.
SELECT k.id, k.title, c.status, c.updated_at
FROM chat_cards k
JOIN chats c ON c.id = k.id
WHERE k.organisation_id = $1 AND k.owner_id = $2 AND k.parent_id IS NULL
ORDER BY c.updated_at DESC, k.id
LIMIT $3

-- name: chats.due
-- Parked chats whose deadline has passed.
SELECT id, action_deadline_at FROM chats
WHERE action_deadline_at IS NOT NULL AND action_deadline_at <= now() AND status = 'requires_action'
ORDER BY action_deadline_at
LIMIT $1

-- name: chats.forget_archived
-- Remove families that have been archived for longer than they are kept, a batch at a time.
WITH due AS (
    SELECT k.id
    FROM chat_cards k
    JOIN chats c ON c.id = k.id
    WHERE k.organisation_id = $1 AND k.parent_id IS NULL AND c.archived AND c.updated_at < now() - $2::interval
    ORDER BY c.updated_at
    LIMIT $3
)
DELETE FROM chats e USING chat_cards m, due
WHERE e.id = m.id AND (m.id = due.id OR m.root_id = due.id)
RETURNING e.id

-- name: chats.idle_roots
-- Root chats of an organisation at rest that nobody pinned, and whose whole family has not moved for so long.
SELECT k.id, k.owner_id, k.title
FROM chat_cards k
JOIN chats c ON c.id = k.id
WHERE k.organisation_id = $1 AND k.parent_id IS NULL AND k.pin = 0
    AND NOT c.archived AND c.status IN ('waiting', 'error') AND c.updated_at < now() - $2::interval
    AND NOT EXISTS (
        SELECT FROM chat_cards m JOIN chats f ON f.id = m.id
        WHERE m.root_id = k.id AND (f.status NOT IN ('waiting', 'error') OR f.updated_at >= now() - $2::interval)
    )
ORDER BY c.updated_at
LIMIT $3

-- name: chats.retitle
-- Call a chat of one's own $4, as long as it is still called $5.
UPDATE chat_cards c SET title = $4, title_source = 'generated', metadata_version = c.metadata_version + 1
WHERE c.id = $3 AND c.organisation_id = $2 AND c.owner_id = $1 AND c.title = $5
RETURNING c.metadata_version
