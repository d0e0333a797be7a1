-- name: providers.listed
-- The providers of an organisation, and whether the deployment has a key for each.
SELECT p.id, p.name, p.dialect, p.base_url, p.enabled, p.options, k.secret
FROM providers p
LEFT JOIN provider_keys k ON k.provider_id = p.id AND k.user_id IS NULL
WHERE p.organisation_id = $1
ORDER BY p.created_at, p.id

-- name: providers.add
-- A new provider.
INSERT INTO providers (organisation_id, name, dialect, base_url, enabled, options)
VALUES ($1, $2, $3, $4, $5, $6)
RETURNING id, name, dialect, base_url, enabled, options, NULL::bytea AS secret

-- name: providers.change
-- Change a provider: $3 name, $4 address, $5 enabled, $6 options. Null leaves it as it is.
UPDATE providers p SET
    name = coalesce($3, p.name), base_url = coalesce($4, p.base_url), enabled = coalesce($5, p.enabled),
    options = coalesce($6, p.options)
WHERE p.organisation_id = $1 AND p.id = $2
RETURNING p.id, p.name, p.dialect, p.base_url, p.enabled, p.options,
    (SELECT k.secret FROM provider_keys k WHERE k.provider_id = p.id AND k.user_id IS NULL) AS secret

-- name: providers.delete
-- Remove a provider with its keys and models.
DELETE FROM providers p WHERE p.organisation_id = $1 AND p.id = $2 RETURNING p.id

-- name: providers.demo_url
-- Where the demo's provider listened last.
SELECT base_url FROM providers WHERE organisation_id = $1 AND name = 'demo'

-- name: providers.put_demo
-- The demo's provider: made when there is no other, and told where the simulator listens now. Any key opens it.
INSERT INTO providers (organisation_id, name, dialect, base_url, options)
SELECT $1, 'demo', 'anthropic_messages', $2, '{"headers":{"x-api-key":"demo"}}'
WHERE NOT EXISTS (SELECT FROM providers p WHERE p.organisation_id = $1 AND p.name <> 'demo')
ON CONFLICT (organisation_id, lower(name)) DO UPDATE SET base_url = excluded.base_url, options = excluded.options
RETURNING id
