-- What a person has set.
SELECT name, value FROM user_settings WHERE user_id = $1
