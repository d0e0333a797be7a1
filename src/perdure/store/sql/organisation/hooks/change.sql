-- Change a hook: $3 options, $4 its secret. Null leaves the secret as it is.
UPDATE hooks h SET options = $3, secret = coalesce($4, h.secret)
WHERE h.organisation_id = $1 AND h.id = $2
RETURNING h.id, h.options, h.secret
