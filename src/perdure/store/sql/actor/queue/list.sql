-- The messages that wait in a chat's queue, in its order.
SELECT q.*, o.entry < 0 AS steer
FROM chat_cards k
JOIN chats e ON e.id = k.id
CROSS JOIN LATERAL unnest(e.queue) WITH ORDINALITY AS o(entry, place)
JOIN queued_messages q ON q.chat_id = k.id AND q.number = abs(o.entry) AND q.removed_in IS NULL
WHERE k.id = $3 AND k.organisation_id = $2 AND may_read(k.id, k.root_id, k.owner_id, $1)
ORDER BY o.place
