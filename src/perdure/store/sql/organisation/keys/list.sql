-- The deployment's key for a provider, without its secret.
SELECT k.id, k.hint, k.created_at, false AS personal
FROM provider_keys k
JOIN providers p ON p.id = k.provider_id
WHERE p.organisation_id = $1 AND p.id = $2 AND k.user_id IS NULL
