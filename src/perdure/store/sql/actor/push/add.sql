-- A browser to push to. One that somebody else used before is now whoever's is signed in there.
WITH others AS (
    DELETE FROM push_subscriptions p WHERE p.endpoint = $3 AND p.user_id <> $1
)
INSERT INTO push_subscriptions AS p (user_id, endpoint, keys)
SELECT u.id, $3, $4 FROM users u WHERE u.id = $1 AND u.organisation_id = $2
ON CONFLICT (user_id, endpoint) DO UPDATE SET keys = excluded.keys
RETURNING p.id
