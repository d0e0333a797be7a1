-- A chat together with the live message that an edit means.
SELECT c.*, m.number, m.role, m.visibility, m.model, m.effort
FROM chats c
LEFT JOIN messages m ON m.chat_id = c.id AND m.number = $2 AND m.hidden_in IS NULL
WHERE c.id = $1
