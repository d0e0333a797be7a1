-- Keep a file of one's own.
INSERT INTO files (id, organisation_id, owner_id, name, media_type, size, content)
SELECT $3, u.organisation_id, u.id, $4, $5, $6, $7 FROM users u WHERE u.id = $1 AND u.organisation_id = $2
RETURNING id
