-- Those of these files that are somebody's own.
SELECT f.id, f.name, f.media_type FROM files f WHERE f.id = ANY($3::uuid[]) AND f.owner_id = $1 AND f.organisation_id = $2
