-- Push no more to a browser of one's own.
DELETE FROM push_subscriptions p USING users u
WHERE p.id = $3 AND p.user_id = $1 AND u.id = $1 AND u.organisation_id = $2
RETURNING p.id
