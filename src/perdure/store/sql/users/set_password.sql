-- Give somebody a password. Whoever is signed in as them has to sign in with it.
WITH changed AS (
    UPDATE users SET password_hash = $2, disabled_at = NULL WHERE lower(email) = lower($1) RETURNING id
), ended AS (
    DELETE FROM sessions s USING changed WHERE s.user_id = changed.id
)
SELECT id FROM changed
