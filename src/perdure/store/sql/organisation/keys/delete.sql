-- Take the deployment's key from a provider.
DELETE FROM provider_keys k USING providers p
WHERE p.id = k.provider_id AND p.organisation_id = $1 AND p.id = $2 AND k.user_id IS NULL
RETURNING k.id
