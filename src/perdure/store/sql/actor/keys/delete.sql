-- Take back one's own key.
DELETE FROM provider_keys k USING providers p
WHERE p.id = k.provider_id AND k.user_id = $1 AND p.organisation_id = $2 AND p.id = $3
RETURNING k.id
