-- A link that signs somebody in once.
INSERT INTO login_links (hash, user_id, expires_at) VALUES ($1, $2, now() + $3::interval)
