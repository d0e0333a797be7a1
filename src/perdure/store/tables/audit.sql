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

-- name: audit.page
-- What was done in an organisation, newest first, before $2 if that is given.
SELECT a.id, a.actor_id, u.email AS actor, a.action, a.subject, a.detail, a.at
FROM audit a
LEFT JOIN users u ON u.id = a.actor_id
WHERE a.organisation_id = $1 AND a.id < coalesce($2, 9223372036854775807)
ORDER BY a.id DESC
LIMIT $3
