-- Revoke a token of one's own.
DELETE FROM tokens t USING users u
WHERE t.id = $3 AND t.user_id = $1 AND u.id = $1 AND u.organisation_id = $2
RETURNING t.id
