-- Give a provider the deployment's key; it replaces an older one.
INSERT INTO provider_keys (provider_id, secret, hint)
SELECT p.id, $3, $4 FROM providers p WHERE p.organisation_id = $1 AND p.id = $2
ON CONFLICT (provider_id) WHERE user_id IS NULL
    DO UPDATE SET secret = excluded.secret, hint = excluded.hint, created_at = now()
RETURNING id, hint, created_at, false AS personal
