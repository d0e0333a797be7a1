-- Remove files that no chat uses and that are older than they are kept.
DELETE FROM files f
WHERE f.organisation_id = $1 AND f.created_at < now() - $2::interval
    AND NOT EXISTS (SELECT FROM file_links l WHERE l.file_id = f.id)
RETURNING f.id
