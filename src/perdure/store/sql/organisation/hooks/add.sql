-- A new hook: $2 options, $3 its secret.
INSERT INTO hooks (organisation_id, options, secret) VALUES ($1, $2, $3) RETURNING id, options, secret
