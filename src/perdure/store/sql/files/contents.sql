-- The contents of files that a chat links to.
SELECT f.id, f.name, f.media_type, f.content
FROM file_links l JOIN files f ON f.id = l.file_id
WHERE l.chat_id = $1 AND l.file_id = ANY($2::uuid[])
