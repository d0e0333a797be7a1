-- Who somebody is that a login service vouches for: $1 its issuer, $2 the subject, $3 the organisation.
SELECT u.id, u.role
FROM identities i
JOIN users u ON u.id = i.user_id
WHERE i.service = $1 AND i.subject = $2 AND u.organisation_id = $3
