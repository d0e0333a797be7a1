-- name: login_services.offered
-- The services that people may sign in with.
SELECT slug, name FROM login_services WHERE enabled ORDER BY created_at, slug

-- name: login_services.one
-- A service that people may sign in with.
SELECT organisation_id, slug, name, issuer, client_id, secret, options FROM login_services WHERE slug = $1 AND enabled

-- name: login_services.listed
-- The login services of an organisation.
SELECT slug, name, issuer, client_id, options, enabled, secret IS NOT NULL AS has_secret
FROM login_services
WHERE organisation_id = $1
ORDER BY created_at, slug

-- name: login_services.put
-- Set up a login service, or change one of one's own organisation; a null secret stays as it is. Nothing comes back
-- where the name is another organisation's.
INSERT INTO login_services AS s (organisation_id, slug, name, issuer, client_id, secret, options, enabled)
VALUES ($1, $2, $3, $4, $5, $6, $7, $8)
ON CONFLICT (slug) DO UPDATE SET
    name = excluded.name, issuer = excluded.issuer, client_id = excluded.client_id, options = excluded.options,
    secret = coalesce(excluded.secret, s.secret), enabled = excluded.enabled
WHERE s.organisation_id = $1
RETURNING slug, name, issuer, client_id, options, enabled, secret IS NOT NULL AS has_secret

-- name: login_services.delete
-- Let nobody sign in with a service any more. Who people were there is forgotten where no other service shares it.
DELETE FROM login_services WHERE organisation_id = $1 AND slug = $2 RETURNING slug
