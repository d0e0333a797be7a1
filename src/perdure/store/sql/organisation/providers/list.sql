-- The providers of an organisation, and whether the deployment has a key for each.
SELECT p.id, p.name, p.dialect, p.base_url, p.enabled, p.options, k.secret
FROM providers p
LEFT JOIN provider_keys k ON k.provider_id = p.id AND k.user_id IS NULL
WHERE p.organisation_id = $1
ORDER BY p.created_at, p.id
