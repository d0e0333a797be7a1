-- Use up a link.
DELETE FROM login_links WHERE hash = $1 RETURNING user_id, expires_at > now() AS valid
