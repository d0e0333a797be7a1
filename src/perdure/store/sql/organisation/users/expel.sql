-- Take all sessions and tokens from a person.
WITH sessions AS (
    DELETE FROM sessions s USING users u WHERE s.user_id = u.id AND u.organisation_id = $1 AND u.id = $2
), tokens AS (
    DELETE FROM tokens t USING users u WHERE t.user_id = u.id AND u.organisation_id = $1 AND u.id = $2
)
DELETE FROM login_links l USING users u WHERE l.user_id = u.id AND u.organisation_id = $1 AND u.id = $2
RETURNING l.user_id
