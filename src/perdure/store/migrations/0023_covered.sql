-- A second summary was said to cover everything up to the first one's own number, and so also what the first had kept.
-- It covers at least what the first covered; what lies between is told once more.
WITH RECURSIVE covered AS (
    SELECT chat_id, number, covers FROM messages WHERE kind = 'boundary'
    UNION
    SELECT c.chat_id, c.number, earlier.covers
    FROM covered c
    JOIN messages earlier ON earlier.chat_id = c.chat_id AND earlier.number = c.covers AND earlier.kind = 'boundary'
), least AS (
    SELECT chat_id, number, min(covers) AS covers FROM covered GROUP BY chat_id, number
)
UPDATE messages m SET covers = least.covers
FROM least
WHERE m.chat_id = least.chat_id AND m.number = least.number AND m.covers > least.covers;
