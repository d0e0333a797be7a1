-- One skill of a person.
SELECT name, description, content, files FROM skills WHERE user_id = $1 AND name = $2
