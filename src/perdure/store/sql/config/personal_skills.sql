-- The index of a person's skills.
SELECT name, description FROM skills WHERE user_id = $1 ORDER BY name
