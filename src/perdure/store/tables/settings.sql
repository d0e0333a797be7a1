-- name: settings.put
-- Set something for the organisation.
INSERT INTO settings (organisation_id, name, value) VALUES ($1, $2, $3)
ON CONFLICT (organisation_id, name) DO UPDATE SET value = excluded.value, updated_at = now()

-- name: settings.of_organisation
-- What an organisation has set.
SELECT name, value FROM settings WHERE organisation_id = $1

-- name: settings.put_own
-- Set something for oneself.
INSERT INTO user_settings (user_id, name, value)
SELECT u.id, $3, $4 FROM users u WHERE u.id = $1 AND u.organisation_id = $2
ON CONFLICT (user_id, name) DO UPDATE SET value = excluded.value, updated_at = now()

-- name: settings.of_person
-- What a person has set.
SELECT name, value FROM user_settings WHERE user_id = $1
