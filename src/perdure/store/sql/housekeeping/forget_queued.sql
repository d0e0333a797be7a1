-- Forget messages that left the queue without being sent, once no sender asks for them any more.
DELETE FROM queued_messages WHERE removed_in IS NOT NULL AND created_at < now() - $1::interval
