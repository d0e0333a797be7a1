-- name: messages.one
-- One live message of a chat, whoever it is for.
SELECT m.*
FROM chat_cards k
JOIN messages m ON m.chat_id = k.id
WHERE k.id = $3 AND k.organisation_id = $2 AND may_read(k.id, k.root_id, k.owner_id, $1)
    AND m.number = $4 AND m.hidden_in IS NULL

-- name: messages.page_before
-- The newest messages that people see, before $4 if that is given, newest first.
SELECT m.*
FROM chat_cards k
JOIN messages m ON m.chat_id = k.id
WHERE k.id = $3 AND k.organisation_id = $2 AND may_read(k.id, k.root_id, k.owner_id, $1)
    AND m.hidden_in IS NULL AND m.visibility <> 'model' AND m.role <> 'system'
    AND m.number < coalesce($4, 2147483647) AND m.number > coalesce($5, 0)
ORDER BY m.number DESC
LIMIT $6

-- name: messages.page_after
-- The messages that people see after $4, oldest first.
SELECT m.*
FROM chat_cards k
JOIN messages m ON m.chat_id = k.id
WHERE k.id = $3 AND k.organisation_id = $2 AND may_read(k.id, k.root_id, k.owner_id, $1)
    AND m.hidden_in IS NULL AND m.visibility <> 'model' AND m.role <> 'system' AND m.number > $4
ORDER BY m.number
LIMIT $5

-- name: messages.whole
-- The history of a chat up to message $4 for its owner, rows for the model included: what a fork copies. Up to a message
-- that an edit hid, it is the history as it was then.
SELECT m.*
FROM chat_cards k
JOIN messages last ON last.chat_id = k.id AND last.number = $4
JOIN messages m ON m.chat_id = k.id
WHERE k.id = $3 AND k.organisation_id = $2 AND k.owner_id = $1 AND m.number <= $4
    AND (m.hidden_in IS NULL OR m.hidden_in >= last.hidden_in)
ORDER BY m.number

-- name: messages.visible
-- Everything that people see of a chat, oldest first: what an export holds.
SELECT m.*
FROM chat_cards k
JOIN messages m ON m.chat_id = k.id
WHERE k.id = $3 AND k.organisation_id = $2 AND may_read(k.id, k.root_id, k.owner_id, $1)
    AND m.hidden_in IS NULL AND m.visibility <> 'model' AND m.role <> 'system'
ORDER BY m.number

-- name: messages.hidden
-- What edits hid, cut by cut, newest cut first.
SELECT m.*
FROM chat_cards k
JOIN messages m ON m.chat_id = k.id
WHERE k.id = $3 AND k.organisation_id = $2 AND may_read(k.id, k.root_id, k.owner_id, $1)
    AND m.hidden_in IS NOT NULL AND m.visibility <> 'model' AND m.role <> 'system'
ORDER BY m.hidden_in DESC, m.number
LIMIT 2000

-- name: messages.prompts
-- What users said in a chat, newest first.
SELECT m.number, m.parts, m.created_at
FROM chat_cards k
JOIN messages m ON m.chat_id = k.id
WHERE k.id = $3 AND k.organisation_id = $2 AND may_read(k.id, k.root_id, k.owner_id, $1)
    AND m.role = 'user' AND m.kind = 'ordinary' AND m.hidden_in IS NULL
ORDER BY m.number DESC
LIMIT $4

-- name: messages.matching
-- The messages that people see and that say $5, a regular expression, oldest first. $4 is a word of it, as LIKE takes it:
-- most messages are passed over by it, which costs less.
SELECT m.number
FROM chat_cards k
JOIN messages m ON m.chat_id = k.id
WHERE k.id = $3 AND k.organisation_id = $2 AND may_read(k.id, k.root_id, k.owner_id, $1)
    AND m.hidden_in IS NULL AND m.visibility <> 'model' AND m.role <> 'system'
    AND m.parts ILIKE '%' || $4 || '%'
    AND EXISTS (
        SELECT FROM json_array_elements(m.parts::json) part
        WHERE coalesce(part ->> 'model_only', 'false') <> 'true' AND concat_ws(
            E'\n', part ->> 'text', part ->> 'args', part ->> 'result', part ->> 'content', part ->> 'name'
        ) ~* $5
    )
ORDER BY m.number
LIMIT $6

-- name: messages.cost
-- What a chat and its descendants cost, by chat, model and purpose.
WITH RECURSIVE tree AS (
    SELECT $3::uuid AS id
    UNION ALL
    SELECT k.id FROM tree JOIN chat_cards k ON k.parent_id = tree.id
)
SELECT k.id AS chat_id, m.model, CASE m.role WHEN 'tool' THEN 'advisor' ELSE 'answer' END AS purpose,
    count(*) AS calls,
    coalesce(sum((m.answer::jsonb ->> 'cost')::bigint), 0)::bigint AS cost,
    count(*) FILTER (WHERE m.answer::jsonb ->> 'cost' IS NULL) AS unpriced_calls,
    coalesce(sum((m.answer::jsonb #>> '{usage,input}')::bigint), 0)::bigint AS input,
    coalesce(sum((m.answer::jsonb #>> '{usage,output}')::bigint), 0)::bigint AS output,
    coalesce(sum((m.answer::jsonb #>> '{usage,reasoning}')::bigint), 0)::bigint AS reasoning,
    coalesce(sum((m.answer::jsonb #>> '{usage,cache_read}')::bigint), 0)::bigint AS cache_read,
    coalesce(sum((m.answer::jsonb #>> '{usage,cache_write}')::bigint), 0)::bigint AS cache_write
FROM tree
JOIN chat_cards k ON k.id = tree.id
JOIN messages m ON m.chat_id = k.id
WHERE k.organisation_id = $2 AND may_read(k.id, k.root_id, k.owner_id, $1)
    AND m.role IN ('assistant', 'tool') AND m.answer IS NOT NULL
GROUP BY k.id, m.model, m.role
UNION ALL
SELECT k.id, NULL, 'words', k.words_calls, k.words_cost, k.words_unpriced, 0, 0, 0, 0, 0
FROM tree
JOIN chat_cards k ON k.id = tree.id
WHERE k.organisation_id = $2 AND may_read(k.id, k.root_id, k.owner_id, $1) AND k.words_calls > 0
ORDER BY 1, 2, 3

-- name: messages.queued
-- The messages that wait in a chat's queue, in its order.
SELECT q.*, o.entry < 0 AS steer
FROM chat_cards k
JOIN chats e ON e.id = k.id
CROSS JOIN LATERAL unnest(e.queue) WITH ORDINALITY AS o(entry, place)
JOIN queued_messages q ON q.chat_id = k.id AND q.number = abs(o.entry) AND q.removed_in IS NULL
WHERE k.id = $3 AND k.organisation_id = $2 AND may_read(k.id, k.root_id, k.owner_id, $1)
ORDER BY o.place

-- name: messages.forget_removed
-- Forget messages that left the queue without being sent, once no sender asks for them any more.
DELETE FROM queued_messages WHERE removed_in IS NOT NULL AND created_at < now() - $1::interval

-- name: messages.advice
-- What the advisor said to a chat after a message: the results of its calls, oldest first.
SELECT parts FROM messages
WHERE chat_id = $1 AND number > $2 AND role = 'tool' AND hidden_in IS NULL
    AND EXISTS (SELECT FROM json_array_elements(parts::json) part WHERE part ->> 'tool' = 'advisor')
ORDER BY number

-- name: messages.load_history
-- A chat's card, and its messages that changed after a revision: system rows, the newest summary, what it does not cover, the last turn.
WITH boundary AS (
    SELECT number, covers FROM messages
    WHERE chat_id = $1 AND kind = 'boundary' AND hidden_in IS NULL
    ORDER BY number DESC LIMIT 1
), asked AS (
    SELECT number FROM messages
    WHERE chat_id = $1 AND kind = 'ordinary' AND role = 'user' AND hidden_in IS NULL
    ORDER BY number DESC LIMIT 1
), turn AS (
    -- A summary may cover the message that began the turn, and whoever takes the turn over has to know it.
    SELECT least(nullif(chats.turn, 0), asked.number) AS number FROM asked JOIN chats ON chats.id = $1
)
SELECT
    c.id, c.owner_id, c.organisation_id, e.asked_by, c.title,
    coalesce(e.asked_by <> c.owner_id AND NOT may_write(c.id, c.root_id, c.owner_id, e.asked_by), false) AS excluded,
    c.title_source, c.parent_id, c.root_id, c.agent_type,
    c.model AS card_model, c.effort AS card_effort, c.workspace_id, c.client_tools,
    c.client_tool_deadline, c.settings, c.turns, c.summarised_turns,
    CASE
        WHEN c.parent_id IS NULL THEN 0
        WHEN c.parent_id = c.root_id THEN 1
        ELSE (
            WITH RECURSIVE up AS (
                SELECT c.parent_id AS id
                UNION ALL
                SELECT k.parent_id FROM up JOIN chat_cards k ON k.id = up.id
            )
            SELECT count(id) FROM up
        )
    END AS depth,
    CASE
        WHEN c.parent_id IS NULL THEN c.plan_mode
        ELSE (
            WITH RECURSIVE up AS (
                SELECT c.parent_id, c.plan_mode
                UNION ALL
                SELECT k.parent_id, k.plan_mode FROM up JOIN chat_cards k ON k.id = up.parent_id
            )
            SELECT bool_or(plan_mode) FROM up
        )
    END AS plan_mode,
    m.number, m.revision, m.role, m.visibility, m.kind, m.parts, m.created_by, m.author, m.model, m.effort, m.answer,
    m.client_id, m.queued_as, m.covers, m.created_at, m.hidden_in
FROM chat_cards c
JOIN chats e ON e.id = c.id
LEFT JOIN messages m ON m.chat_id = c.id AND m.revision > $2 AND (
    m.role = 'system'
    OR m.number >= (SELECT number FROM boundary)
    OR m.number > coalesce((SELECT covers FROM boundary), 0)
    OR m.number >= (SELECT number FROM turn)
    OR (m.hidden_in IS NOT NULL AND $2 > 0)
)
WHERE c.id = $1
ORDER BY m.number

-- name: messages.recall
-- What was said in a chat, newest first, for the model that forgot it.
SELECT number, role, parts FROM messages
WHERE chat_id = $1 AND hidden_in IS NULL AND kind = 'ordinary' AND role <> 'system'
    AND ($2::text = '' OR parts ILIKE '%' || $2 || '%')
    AND ($3::integer IS NULL OR number < $3)
ORDER BY number DESC
LIMIT $4
