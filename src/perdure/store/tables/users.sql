-- name: users.me
-- Oneself.
SELECT u.id, u.email, u.name, u.role, u.organisation_id, u.preferences, u.password_hash IS NOT NULL AS has_password
FROM users u
WHERE u.id = $1 AND u.organisation_id = $2

-- name: users.admitted
-- Somebody who is not suspended.
SELECT id FROM users WHERE id = $1 AND organisation_id = $2 AND disabled_at IS NULL

-- name: users.own_password
-- What proves that one knows one's own password.
SELECT u.id, u.password_hash FROM users u WHERE u.id = $1 AND u.organisation_id = $2

-- name: users.change_me
-- Change one's own name, preferences or password; null leaves it as it is.
UPDATE users u SET
    name = coalesce($3, u.name),
    preferences = coalesce($4, u.preferences),
    password_hash = coalesce($5, u.password_hash)
WHERE u.id = $1 AND u.organisation_id = $2
RETURNING u.id

-- name: users.listed
-- The people of one's own organisation.
SELECT u.id, u.email, u.name, u.role, u.disabled_at IS NOT NULL AS disabled, u.created_at
FROM users u
JOIN users me ON me.id = $1 AND me.organisation_id = u.organisation_id
WHERE u.organisation_id = $2
ORDER BY u.created_at, u.id

-- name: users.add
-- A new person.
INSERT INTO users (organisation_id, email, name, role, password_hash)
VALUES ($1, $2, $3, $4, $5)
RETURNING id, email, name, role, false AS disabled, created_at

-- name: users.change
-- Change a person: $3 name, $4 role, $5 disabled, $6 password. Null leaves it as it is. Nothing comes back where that
-- would leave the deployment without an owner.
UPDATE users u SET
    name = coalesce($3, u.name),
    role = coalesce($4, u.role),
    disabled_at = CASE WHEN $5::boolean IS NULL THEN u.disabled_at WHEN $5 THEN coalesce(u.disabled_at, now()) END,
    password_hash = coalesce($6, u.password_hash)
WHERE u.organisation_id = $1 AND u.id = $2
    AND (u.role <> 'owner' OR (coalesce($4, 'owner') = 'owner' AND NOT coalesce($5, false))
        OR EXISTS (SELECT FROM users o WHERE o.role = 'owner' AND o.disabled_at IS NULL AND o.id <> u.id))
RETURNING u.id, u.email, u.name, u.role, u.disabled_at IS NOT NULL AS disabled, u.created_at

-- name: users.expel
-- Take all sessions and tokens from a person.
WITH sessions AS (
    DELETE FROM sessions s USING users u WHERE s.user_id = u.id AND u.organisation_id = $1 AND u.id = $2
), tokens AS (
    DELETE FROM tokens t USING users u WHERE t.user_id = u.id AND u.organisation_id = $1 AND u.id = $2
)
DELETE FROM login_links l USING users u WHERE l.user_id = u.id AND u.organisation_id = $1 AND u.id = $2
RETURNING l.user_id

-- name: users.one
-- One person of an organisation.
SELECT u.id, u.email, u.name, u.role, u.disabled_at IS NOT NULL AS disabled, u.created_at
FROM users u
WHERE u.organisation_id = $1 AND u.id = $2

-- name: users.add_unless_there
-- A new person. Nothing comes back where the address is taken.
INSERT INTO users (organisation_id, email, name, role, password_hash)
VALUES ($1, $2, $3, $4, $5)
ON CONFLICT DO NOTHING
RETURNING id

-- name: users.everybody
-- Everybody in the deployment.
SELECT u.email, u.name, u.role, u.disabled_at IS NOT NULL AS disabled, o.name AS organisation
FROM users u JOIN organisations o ON o.id = u.organisation_id
ORDER BY u.created_at, u.id

-- name: users.of_address
-- Whoever has this address, for whoever runs the deployment.
SELECT id, organisation_id, role FROM users WHERE lower(email) = lower($1) AND disabled_at IS NULL

-- name: users.by_email
-- Somebody who signs in with a password.
SELECT id, password_hash FROM users WHERE lower(email) = lower($1) AND disabled_at IS NULL

-- name: users.first_owner
-- Whoever runs the deployment, and whether anybody can sign in without a link.
SELECT u.id,
    EXISTS (SELECT FROM users p WHERE p.password_hash IS NOT NULL AND p.disabled_at IS NULL)
    OR EXISTS (SELECT FROM identities) AS reachable
FROM users u
WHERE u.role = 'owner' AND u.disabled_at IS NULL
ORDER BY u.created_at, u.id
LIMIT 1

-- name: users.has_password
-- Whether somebody can sign in with a password.
SELECT EXISTS (SELECT FROM users WHERE lower(email) = lower($1) AND password_hash IS NOT NULL)

-- name: users.set_password
-- Give somebody a password. Whoever is signed in as them has to sign in with it.
WITH changed AS (
    UPDATE users SET password_hash = $2, disabled_at = NULL WHERE lower(email) = lower($1) RETURNING id
), ended AS (
    DELETE FROM sessions s USING changed WHERE s.user_id = changed.id
)
SELECT id FROM changed

-- name: users.set_role
-- Give somebody the role that their login service says. An owner stays one: a mistake must not lock everybody out.
UPDATE users SET role = $2 WHERE id = $1 AND role <> $2 AND role <> 'owner' RETURNING id
