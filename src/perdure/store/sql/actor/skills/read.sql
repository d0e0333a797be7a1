-- One of the actor's skills.
SELECT s.name, s.description, s.content, s.files, s.updated_at
FROM skills s JOIN users u ON u.id = s.user_id
WHERE s.user_id = $1 AND u.organisation_id = $2 AND s.name = $3
