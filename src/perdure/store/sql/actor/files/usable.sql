-- Those of these files that are somebody's own, and whether a chat holds them already.
SELECT
    f.id, f.name, f.media_type,
    EXISTS (SELECT FROM file_links l WHERE l.chat_id = $4 AND l.file_id = f.id) AS held
FROM files f
WHERE f.id = ANY($3::uuid[]) AND f.owner_id = $1 AND f.organisation_id = $2
