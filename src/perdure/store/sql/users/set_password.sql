-- Give somebody a password.
UPDATE users SET password_hash = $2, disabled_at = NULL WHERE lower(email) = lower($1) RETURNING id
