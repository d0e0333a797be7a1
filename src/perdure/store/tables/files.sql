-- name: files.add
-- Keep a file of one's own.
INSERT INTO files (id, organisation_id, owner_id, name, media_type, size, content)
SELECT $3, u.organisation_id, u.id, $4, $5, $6, $7 FROM users u WHERE u.id = $1 AND u.organisation_id = $2

-- name: files.known
-- Whether there is such a file of one's own, or of a chat that one may read.
SELECT f.id
FROM files f
WHERE f.id = $3 AND f.organisation_id = $2 AND (
    f.owner_id = $1 OR EXISTS (
        SELECT FROM file_links l JOIN chat_cards k ON k.id = l.chat_id
        WHERE l.file_id = f.id AND may_read(k.id, k.root_id, k.owner_id, $1)
    ))

-- name: files.read
-- A file of one's own, or of a chat that one may read.
SELECT f.id, f.organisation_id, f.name, f.media_type, f.size, f.content, f.object_id, o.hash
FROM files f LEFT JOIN objects o ON o.id = f.object_id
WHERE f.id = $3 AND f.organisation_id = $2 AND (
    f.owner_id = $1 OR EXISTS (
        SELECT FROM file_links l JOIN chat_cards k ON k.id = l.chat_id
        WHERE l.file_id = f.id AND may_read(k.id, k.root_id, k.owner_id, $1)
    ))

-- name: files.described
-- What a file is, of one's own or of a chat that one may read.
SELECT f.id, f.name, f.size, f.created_at
FROM files f
WHERE f.id = $3 AND f.organisation_id = $2 AND (
    f.owner_id = $1 OR EXISTS (
        SELECT FROM file_links l JOIN chat_cards k ON k.id = l.chat_id
        WHERE l.file_id = f.id AND may_read(k.id, k.root_id, k.owner_id, $1)
    ))

-- name: files.owned
-- Files of one's own, the newest $3, oldest first.
SELECT n.id, n.name, n.size, n.created_at FROM (
    SELECT f.id, f.name, f.size, f.created_at FROM files f
    WHERE f.owner_id = $1 AND f.organisation_id = $2
    ORDER BY f.created_at DESC, f.id DESC
    LIMIT $3
) n
ORDER BY n.created_at, n.id

-- name: files.discard
-- Remove a file of one's own that no chat has.
DELETE FROM files f
WHERE f.id = $3 AND f.owner_id = $1 AND f.organisation_id = $2
    AND NOT EXISTS (SELECT FROM file_links l WHERE l.file_id = f.id)
RETURNING f.id

-- name: files.usable
-- Those of these files that are somebody's own, and whether a chat holds them already.
SELECT
    f.id, f.name, f.media_type,
    EXISTS (SELECT FROM file_links l WHERE l.chat_id = $4 AND l.file_id = f.id) AS held
FROM files f
WHERE f.id = ANY($3::uuid[]) AND f.owner_id = $1 AND f.organisation_id = $2

-- name: files.contents
-- The contents of files that a chat links to.
SELECT f.id, f.organisation_id, f.name, f.media_type, f.size, f.content, f.object_id, o.hash
FROM file_links l JOIN files f ON f.id = l.file_id LEFT JOIN objects o ON o.id = f.object_id
WHERE l.chat_id = $1 AND l.file_id = ANY($2::uuid[])

-- name: files.keep
-- Keep a file that a tool handed over. The same call hands over the same file, however often it is told.
INSERT INTO files (id, organisation_id, owner_id, name, media_type, size, content)
VALUES ($1, $2, $3, $4, $5, $6, $7)
ON CONFLICT (id) DO NOTHING

-- name: files.forget_unused
-- Remove files that no chat uses and that are older than they are kept.
DELETE FROM files f
WHERE f.organisation_id = $1 AND f.created_at < now() - $2::interval
    AND NOT EXISTS (SELECT FROM file_links l WHERE l.file_id = f.id)
RETURNING f.id
