-- The actor's skills.
SELECT s.name, s.description, s.updated_at
FROM skills s JOIN users u ON u.id = s.user_id
WHERE s.user_id = $1 AND u.organisation_id = $2
ORDER BY s.name
