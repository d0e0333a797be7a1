-- Keep a skill: $3 name, $4 description, $5 content, $6 further files, if there are fewer than $7 others.
INSERT INTO skills (user_id, name, description, content, files)
SELECT u.id, $3, $4, $5, $6 FROM users u
WHERE u.id = $1 AND u.organisation_id = $2
    AND (SELECT count(*) FROM skills s WHERE s.user_id = u.id AND s.name <> $3) < $7::bigint
ON CONFLICT (user_id, name) DO UPDATE
SET description = excluded.description, content = excluded.content, files = excluded.files, updated_at = now()
RETURNING name, description, content, files, updated_at
