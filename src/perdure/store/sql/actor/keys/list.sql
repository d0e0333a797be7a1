-- One's own key for a provider, without its secret.
SELECT k.id, k.hint, k.created_at, true AS personal
FROM provider_keys k
JOIN providers p ON p.id = k.provider_id
WHERE k.user_id = $1 AND p.organisation_id = $2 AND p.id = $3
