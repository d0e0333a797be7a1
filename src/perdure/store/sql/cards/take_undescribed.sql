-- Take chats at rest whose last turn nobody has described: whoever was to do it is gone. It ended between $1 and $2 ago.
WITH late AS (
    SELECT c.id
    FROM inbox i
    JOIN chat_cards c ON c.id = i.chat_id
    JOIN chats e ON e.id = c.id
    WHERE i.kind IN ('finished', 'needs_you') AND i.created_at > now() - $1::interval
        AND c.described_turns < c.turns AND e.status = 'waiting' AND e.updated_at < now() - $2::interval
    LIMIT $3
    FOR UPDATE OF c SKIP LOCKED
)
UPDATE chat_cards c SET described_turns = c.turns
FROM late
WHERE c.id = late.id AND c.described_turns < c.turns
RETURNING c.id
