-- Bring one's own key for a provider; it replaces an older one.
INSERT INTO provider_keys (provider_id, user_id, secret, hint)
SELECT p.id, $1, $4, $5 FROM providers p WHERE p.organisation_id = $2 AND p.id = $3
ON CONFLICT (provider_id, user_id) WHERE user_id IS NOT NULL
    DO UPDATE SET secret = excluded.secret, hint = excluded.hint, created_at = now()
RETURNING id, hint, created_at, true AS personal
