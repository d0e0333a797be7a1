-- name: families.agents
-- The agents below a chat, all or those named, each with where it stands and the last thing that it said.
WITH RECURSIVE tree AS (
    SELECT k.id, 1 AS depth FROM chat_cards k WHERE k.parent_id = $1
    UNION ALL
    SELECT k.id, tree.depth + 1 FROM tree JOIN chat_cards k ON k.parent_id = tree.id
)
SELECT c.id, c.parent_id, c.agent_type, c.title, e.status, e.last_error, spoken.parts,
    newest.role IS DISTINCT FROM 'assistant' OR newest.answer::jsonb ->> 'finish_reason' = 'interrupted' AS cut_short
FROM tree
JOIN chat_cards c ON c.id = tree.id
JOIN chats e ON e.id = tree.id
LEFT JOIN LATERAL (
    SELECT m.role, m.answer FROM messages m
    WHERE m.chat_id = c.id AND m.kind = 'ordinary' AND m.hidden_in IS NULL
    ORDER BY m.number DESC LIMIT 1
) newest ON true
LEFT JOIN LATERAL (
    SELECT m.parts FROM messages m
    WHERE m.chat_id = c.id AND m.kind = 'ordinary' AND m.role = 'assistant' AND m.hidden_in IS NULL
        AND EXISTS (SELECT FROM json_array_elements(m.parts::json) part WHERE part ->> 'type' = 'text')
    ORDER BY m.number DESC LIMIT 1
) spoken ON true
WHERE $2::uuid[] IS NULL OR c.id = ANY($2::uuid[])
ORDER BY tree.depth, c.created_at, c.id

-- name: families.parent
-- What a chat hands down to an agent that it starts: its card, how deep it stands, how many agents of its tree work now.
SELECT c.root_id, c.model, c.effort, c.workspace_id, c.client_tool_deadline, c.settings,
    (
        WITH RECURSIVE up AS (
            SELECT c.parent_id AS id
            UNION ALL
            SELECT k.parent_id FROM up JOIN chat_cards k ON k.id = up.id
        )
        SELECT count(id) FROM up
    ) AS depth,
    (
        SELECT count(*) FROM chat_cards k JOIN chats s ON s.id = k.id
        WHERE k.root_id = coalesce(c.root_id, c.id) AND s.status IN ('running', 'interrupting', 'requires_action')
    ) AS working,
    ARRAY(
        SELECT m.parts FROM messages m
        WHERE m.chat_id = c.id AND m.role = 'system' AND m.hidden_in IS NULL ORDER BY m.number
    ) AS system
FROM chat_cards c
WHERE c.id = $1

-- name: families.parent_of
-- The chat that started this one, or null.
SELECT parent_id FROM chat_cards WHERE id = $1

-- name: families.unwoken
-- Parked parents that wait for an agent which rests or is gone: whoever should have woken them did not.
SELECT p.id FROM chats p
WHERE p.status = 'requires_action' AND coalesce(p.action_kind, p.action::jsonb ->> 'kind') = 'children'
    AND EXISTS (
        SELECT FROM jsonb_array_elements_text(p.action::jsonb -> 'children') AS awaited (id)
        LEFT JOIN chats k ON k.id = awaited.id::uuid
        WHERE k.id IS NULL OR k.status IN ('waiting', 'error')
    )
LIMIT $1

-- name: families.planning
-- Whether a chat only plans: it, or one of those that it works for.
WITH RECURSIVE up AS (
    SELECT parent_id, plan_mode FROM chat_cards WHERE id = $1
    UNION ALL
    SELECT k.parent_id, k.plan_mode FROM up JOIN chat_cards k ON k.id = up.parent_id
)
SELECT coalesce(bool_or(plan_mode), false) AS planning FROM up
