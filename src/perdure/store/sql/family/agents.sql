-- The agents below a chat, all or those named, each with where it stands and the last thing that it said.
WITH RECURSIVE tree AS (
    SELECT k.id, 1 AS depth FROM chat_cards k WHERE k.parent_id = $1
    UNION ALL
    SELECT k.id, tree.depth + 1 FROM tree JOIN chat_cards k ON k.parent_id = tree.id
)
SELECT c.id, c.parent_id, c.agent_type, c.title, e.status, e.last_error, e.turn, spoken.parts,
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
        AND m.parts LIKE '%{"type":"text",%'
    ORDER BY m.number DESC LIMIT 1
) spoken ON true
WHERE $2::uuid[] IS NULL OR c.id = ANY($2::uuid[])
ORDER BY tree.depth, c.created_at, c.id
