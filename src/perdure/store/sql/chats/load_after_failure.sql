-- A chat after a commit whose outcome is unknown, and whether anything of that change is there.
SELECT c.*,
    c.change_id = $2
    OR EXISTS (SELECT FROM messages m WHERE m.chat_id = c.id AND m.number >= $3 AND m.change_id = $2)
    OR EXISTS (SELECT FROM queued_messages q WHERE q.chat_id = c.id AND q.number >= $4 AND q.change_id = $2) AS found
FROM chats c
WHERE c.id = $1
