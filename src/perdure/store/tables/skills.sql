-- name: skills.listed
-- The actor's skills.
SELECT s.name, s.description, s.updated_at
FROM skills s JOIN users u ON u.id = s.user_id
WHERE s.user_id = $1 AND u.organisation_id = $2
ORDER BY s.name

-- name: skills.read
-- One of the actor's skills.
SELECT s.name, s.description, s.content, s.files, s.updated_at
FROM skills s JOIN users u ON u.id = s.user_id
WHERE s.user_id = $1 AND u.organisation_id = $2 AND s.name = $3

-- name: skills.put
-- Keep a skill: $3 name, $4 description, $5 content, $6 further files, if there are fewer than $7 others.
INSERT INTO skills (user_id, name, description, content, files)
SELECT u.id, $3, $4, $5, $6 FROM users u
WHERE u.id = $1 AND u.organisation_id = $2
    AND (SELECT count(*) FROM skills s WHERE s.user_id = u.id AND s.name <> $3) < $7::bigint
ON CONFLICT (user_id, name) DO UPDATE
SET description = excluded.description, content = excluded.content, files = excluded.files, updated_at = now()
RETURNING name, description, content, files, updated_at

-- name: skills.delete
-- Forget one of the actor's skills.
DELETE FROM skills s USING users u
WHERE u.id = s.user_id AND s.user_id = $1 AND u.organisation_id = $2 AND s.name = $3
RETURNING s.name

-- name: skills.of_person
-- The index of a person's skills.
SELECT name, description FROM skills WHERE user_id = $1 ORDER BY name

-- name: skills.read_of_person
-- One skill of a person.
SELECT name, description, content, files FROM skills WHERE user_id = $1 AND name = $2
