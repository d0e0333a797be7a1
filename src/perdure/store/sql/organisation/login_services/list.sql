-- The login services of an organisation.
SELECT slug, name, issuer, client_id, options, enabled, secret IS NOT NULL AS has_secret
FROM login_services
WHERE organisation_id = $1
ORDER BY created_at, slug
