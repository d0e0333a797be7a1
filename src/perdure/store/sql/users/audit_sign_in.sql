-- Note what signing in with a service changed about somebody.
INSERT INTO audit (organisation_id, actor_id, action, subject, detail)
SELECT organisation_id, id, $2, id::text, $3 FROM users WHERE id = $1
