-- name: provider_keys.own
-- One's own key for a provider, without its secret.
SELECT k.id, k.hint, k.created_at, true AS personal
FROM provider_keys k
JOIN providers p ON p.id = k.provider_id
WHERE k.user_id = $1 AND p.organisation_id = $2 AND p.id = $3

-- name: provider_keys.put_own
-- Bring one's own key for a provider; it replaces an older one.
INSERT INTO provider_keys (provider_id, user_id, secret, hint)
SELECT p.id, $1, $4, $5 FROM providers p WHERE p.organisation_id = $2 AND p.id = $3
ON CONFLICT (provider_id, user_id) WHERE user_id IS NOT NULL
    DO UPDATE SET secret = excluded.secret, hint = excluded.hint, created_at = now()
RETURNING id, hint, created_at, true AS personal

-- name: provider_keys.delete_own
-- Take back one's own key.
DELETE FROM provider_keys k USING providers p
WHERE p.id = k.provider_id AND k.user_id = $1 AND p.organisation_id = $2 AND p.id = $3
RETURNING k.id

-- name: provider_keys.shared
-- The deployment's key for a provider, without its secret.
SELECT k.id, k.hint, k.created_at, false AS personal
FROM provider_keys k
JOIN providers p ON p.id = k.provider_id
WHERE p.organisation_id = $1 AND p.id = $2 AND k.user_id IS NULL

-- name: provider_keys.put_shared
-- Give a provider the deployment's key; it replaces an older one.
INSERT INTO provider_keys (provider_id, secret, hint)
SELECT p.id, $3, $4 FROM providers p WHERE p.organisation_id = $1 AND p.id = $2
ON CONFLICT (provider_id) WHERE user_id IS NULL
    DO UPDATE SET secret = excluded.secret, hint = excluded.hint, created_at = now()
RETURNING id, hint, created_at, false AS personal

-- name: provider_keys.delete_shared
-- Take the deployment's key from a provider.
DELETE FROM provider_keys k USING providers p
WHERE p.id = k.provider_id AND p.organisation_id = $1 AND p.id = $2 AND k.user_id IS NULL
RETURNING k.id

-- name: provider_keys.of_person
-- The encrypted keys that a person brought.
SELECT provider_id, secret FROM provider_keys WHERE user_id = $1
