-- Forget sessions that are over.
DELETE FROM sessions WHERE expires_at < now()
