-- Set up a login service, or change one of one's own organisation; a null secret stays as it is. Nothing comes back
-- where the name is another organisation's.
INSERT INTO login_services AS s (organisation_id, slug, name, issuer, client_id, secret, options, enabled)
VALUES ($1, $2, $3, $4, $5, $6, $7, $8)
ON CONFLICT (slug) DO UPDATE SET
    name = excluded.name, issuer = excluded.issuer, client_id = excluded.client_id, options = excluded.options,
    secret = coalesce(excluded.secret, s.secret), enabled = excluded.enabled
WHERE s.organisation_id = $1
RETURNING slug, name, issuer, client_id, options, enabled, secret IS NOT NULL AS has_secret
