-- name: login_links.make
-- A link that signs somebody in once.
INSERT INTO login_links (hash, user_id, expires_at) VALUES ($1, $2, now() + $3::interval)

-- name: login_links.use
-- Use up a link.
DELETE FROM login_links WHERE hash = $1 RETURNING user_id, expires_at > now() AS valid

-- name: login_links.forget_over
-- Forget login links that are over.
DELETE FROM login_links WHERE expires_at < now()
