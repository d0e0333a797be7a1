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
