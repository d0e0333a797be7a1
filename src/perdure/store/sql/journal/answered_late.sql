-- Chats that ask what became of a call whose result came after all.
SELECT DISTINCT c.id AS chat_id
FROM chats c
JOIN journal j ON j.chat_id = c.id AND j.message = c.last_assistant
WHERE c.status = 'requires_action' AND c.action_deadline_at IS NOT NULL AND j.effect = 'once' AND j.state = 'finished'
