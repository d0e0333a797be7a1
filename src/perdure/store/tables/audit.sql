-- name: audit.record
-- Note what somebody did.
INSERT INTO audit (organisation_id, actor_id, action, subject, detail) VALUES ($2, $1, $3, $4, $5)

-- name: audit.note
-- Note what was removed because its time was over.
INSERT INTO audit (organisation_id, action, detail) VALUES ($1, $2, $3)

-- name: audit.note_sign_in
-- Note what signing in with a service changed about somebody.
INSERT INTO audit (organisation_id, actor_id, action, subject, detail)
SELECT organisation_id, id, $2, id::text, $3 FROM users WHERE id = $1

-- name: audit.note_loss
-- Note that the database lost changes of a chat.
INSERT INTO audit (organisation_id, action, subject, detail)
SELECT organisation_id, 'database.lost_changes', id::text, $2 FROM chat_cards WHERE id = $1

-- name: audit.note_lost_chat
-- Note that the database lost a chat of which it has nothing any more.
INSERT INTO audit (organisation_id, action, subject, detail)
SELECT o.id, 'database.lost_changes', $2, $3 FROM organisations o WHERE o.id = $1

-- name: audit.page
-- What was done in an organisation, newest first: before $2, at most $3, by $4, of the kind $5, from $6 to $7 if those are given.
SELECT a.id, a.actor_id, u.email AS actor, a.action, a.subject, a.detail, a.at,
    coalesce(person.email, provider.name, team.name, nullif(server.name, ''), server.slug) AS subject_name
FROM audit a
LEFT JOIN users u ON u.id = a.actor_id
LEFT JOIN LATERAL (
    SELECT CASE WHEN a.subject ~ '^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$' THEN a.subject::uuid END AS id
) meant ON true
LEFT JOIN users person ON person.id = meant.id AND person.organisation_id = $1
LEFT JOIN providers provider ON provider.id = meant.id AND provider.organisation_id = $1
LEFT JOIN groups team ON team.id = meant.id AND team.organisation_id = $1
LEFT JOIN LATERAL (
    SELECT s.slug, s.options::jsonb ->> 'name' AS name FROM mcp_servers s WHERE s.id = meant.id AND s.organisation_id = $1
) server ON true
WHERE a.organisation_id = $1 AND a.id < coalesce($2, 9223372036854775807)
    AND ($4::uuid IS NULL OR a.actor_id = $4)
    AND ($5::text IS NULL OR a.action = $5 OR starts_with(a.action, $5 || '.'))
    AND ($6::timestamptz IS NULL OR a.at >= $6) AND ($7::timestamptz IS NULL OR a.at < $7)
ORDER BY a.id DESC
LIMIT $3
