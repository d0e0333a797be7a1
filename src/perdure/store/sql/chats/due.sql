-- Parked chats whose deadline has passed.
SELECT id, action_deadline_at FROM chats
WHERE action_deadline_at IS NOT NULL AND action_deadline_at <= now() AND status = 'requires_action'
ORDER BY action_deadline_at
LIMIT $1
