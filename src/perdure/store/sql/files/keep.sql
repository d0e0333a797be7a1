-- Keep a file that a tool handed over. The same call hands over the same file, however often it is told.
INSERT INTO files (id, organisation_id, owner_id, name, media_type, size, content)
VALUES ($1, $2, $3, $4, $5, $6, $7)
ON CONFLICT (id) DO NOTHING
