-- End a session of one's own.
DELETE FROM sessions s USING users u
WHERE s.id = $3 AND s.user_id = $1 AND u.id = $1 AND u.organisation_id = $2
RETURNING s.id
