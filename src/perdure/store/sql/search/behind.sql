-- Chats whose history search has not caught up with: what a crash left undone.
SELECT c.id
FROM chats c
LEFT JOIN search_progress p ON p.chat_id = c.id
WHERE c.history_version > coalesce(p.revision, 0)
LIMIT $1
