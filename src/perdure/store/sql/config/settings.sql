-- What an organisation has set.
SELECT name, value FROM settings WHERE organisation_id = $1
