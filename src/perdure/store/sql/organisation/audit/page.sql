-- What was done in an organisation, newest first, before $2 if that is given.
SELECT a.id, a.actor_id, u.email AS actor, a.action, a.subject, a.detail, a.at
FROM audit a
LEFT JOIN users u ON u.id = a.actor_id
WHERE a.organisation_id = $1 AND a.id < coalesce($2, 9223372036854775807)
ORDER BY a.id DESC
LIMIT $3
