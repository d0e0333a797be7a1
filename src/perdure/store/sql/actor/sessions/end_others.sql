-- End all sessions of one's own but one.
DELETE FROM sessions s USING users u
WHERE s.user_id = $1 AND u.id = $1 AND u.organisation_id = $2 AND s.id IS DISTINCT FROM $3
RETURNING s.id
