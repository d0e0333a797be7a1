-- Forget login links that are over.
DELETE FROM login_links WHERE expires_at < now()
