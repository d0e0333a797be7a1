-- name: identities.known
-- Who somebody is that a login service vouches for: $1 its issuer, $2 the subject, $3 the organisation.
SELECT u.id, u.role
FROM identities i
JOIN users u ON u.id = i.user_id
WHERE i.service = $1 AND i.subject = $2 AND u.organisation_id = $3

-- name: identities.link
-- Remember that the person of this organisation ($3) with this verified address ($4) is this subject ($2) of a service.
WITH person AS (
    SELECT u.id, u.role FROM users u WHERE u.organisation_id = $3 AND lower(u.email) = lower($4)
), linked AS (
    INSERT INTO identities (service, subject, user_id) SELECT $1, $2, person.id FROM person
    ON CONFLICT DO NOTHING
)
SELECT id, role FROM person
