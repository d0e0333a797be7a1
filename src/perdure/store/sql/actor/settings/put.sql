-- Set something for oneself.
INSERT INTO user_settings (user_id, name, value)
SELECT u.id, $3, $4 FROM users u WHERE u.id = $1 AND u.organisation_id = $2
ON CONFLICT (user_id, name) DO UPDATE SET value = excluded.value, updated_at = now()
RETURNING name
