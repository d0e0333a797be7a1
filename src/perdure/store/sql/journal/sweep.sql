-- Drop what is known about calls that nobody can ask about any more.
DELETE FROM journal j USING chats c
WHERE c.id = j.chat_id AND j.message <> c.last_assistant AND coalesce(j.finished_at, j.started_at) < now() - $1::interval
