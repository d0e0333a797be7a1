-- Drop pieces that no chat can need any more: its history or its attempt passed them, it rests, or it is gone.
DELETE FROM segments s
WHERE s.created_at < now() - $1::interval
    AND NOT EXISTS (
        SELECT FROM chats c
        WHERE c.id = s.chat_id
            AND (c.history_version, c.generation_attempt) = (s.history_version, s.attempt)
            AND c.status IN ('running', 'interrupting')
    )
