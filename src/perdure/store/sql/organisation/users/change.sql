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
