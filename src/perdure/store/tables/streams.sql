-- name: streams.read
-- A chat with its card, its queue, and the visible messages that are news to somebody who has seen everything up to
-- revision $2 and number $3; the newest $4 where they have seen nothing. One statement, one snapshot.
SELECT c.*,
    k.*,
    ARRAY(
        SELECT q
        FROM unnest(c.queue) WITH ORDINALITY AS o (entry, place)
        JOIN queued_messages q ON q.chat_id = c.id AND q.number = abs(o.entry)
        ORDER BY o.place
    ) AS queued,
    CASE WHEN c.open_calls <> '[]' THEN (
        SELECT m.parts FROM messages m WHERE m.chat_id = c.id AND m.number = c.last_assistant
    ) END AS asked,
    (
        SELECT min(m.number) FROM messages m
        WHERE m.chat_id = c.id AND (m.revision, m.number) > ($2::bigint, $3::integer) AND m.hidden_in IS NOT NULL
    ) AS cut,
    CASE WHEN $2 IS NULL THEN ARRAY(
        SELECT m FROM messages m
        WHERE m.chat_id = c.id AND m.hidden_in IS NULL AND m.visibility <> 'model' AND m.role <> 'system'
        ORDER BY m.number DESC
        LIMIT $4
    ) ELSE ARRAY(
        SELECT m FROM messages m
        WHERE m.chat_id = c.id AND (m.revision, m.number) > ($2, $3)
            AND m.hidden_in IS NULL AND m.visibility <> 'model' AND m.role <> 'system'
        ORDER BY m.revision, m.number
    ) END AS messages
FROM chats c
JOIN cards k ON k.id = c.id
WHERE c.id = $1
