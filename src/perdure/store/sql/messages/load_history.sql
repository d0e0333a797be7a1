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
    c.id, c.owner_id, c.organisation_id, c.title, c.title_source, c.parent_id, c.root_id, c.agent_type,
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
    m.number, m.revision, m.role, m.visibility, m.kind, m.parts, m.created_by, m.model, m.effort, m.answer,
    m.client_id, m.queued_as, m.covers, m.created_at, m.hidden_in
FROM chat_cards c
LEFT JOIN messages m ON m.chat_id = c.id AND m.revision > $2 AND (
    m.role = 'system'
    OR m.number >= (SELECT number FROM boundary)
    OR m.number > coalesce((SELECT covers FROM boundary), 0)
    OR m.number >= (SELECT number FROM turn)
    OR (m.hidden_in IS NOT NULL AND $2 > 0)
)
WHERE c.id = $1
ORDER BY m.number
