-- Note what somebody did.
INSERT INTO audit (organisation_id, actor_id, action, subject, detail) VALUES ($2, $1, $3, $4, $5) RETURNING id
