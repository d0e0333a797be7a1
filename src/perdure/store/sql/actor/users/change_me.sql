-- Change one's own name, preferences or password; null leaves it as it is.
UPDATE users u SET
    name = coalesce($3, u.name),
    preferences = coalesce($4, u.preferences),
    password_hash = coalesce($5, u.password_hash)
WHERE u.id = $1 AND u.organisation_id = $2
RETURNING u.id
