-- Forget one of the actor's skills.
DELETE FROM skills s USING users u
WHERE u.id = s.user_id AND s.user_id = $1 AND u.organisation_id = $2 AND s.name = $3
RETURNING s.name
