-- A service that people may sign in with.
SELECT organisation_id, slug, name, issuer, client_id, secret, options FROM login_services WHERE slug = $1 AND enabled
