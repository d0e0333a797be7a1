-- Somebody who signs in with a password.
SELECT id, password_hash FROM users WHERE lower(email) = lower($1) AND disabled_at IS NULL
