-- Whose token this is, while it lasts; its use is noted once a minute at most.
WITH found AS (
    SELECT t.id, t.scopes, t.used_at, u.id AS user_id, u.organisation_id, u.role
    FROM tokens t
    JOIN users u ON u.id = t.user_id
    WHERE t.hash = $1 AND (t.expires_at IS NULL OR t.expires_at > now()) AND u.disabled_at IS NULL
), used AS (
    UPDATE tokens t SET used_at = now() FROM found f
    WHERE t.id = f.id AND (f.used_at IS NULL OR f.used_at < now() - interval '1 minute')
)
SELECT * FROM found
