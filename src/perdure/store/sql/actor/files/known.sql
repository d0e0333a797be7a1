-- Whether there is such a file of one's own, or of a chat that one may read.
SELECT f.id
FROM files f
WHERE f.id = $3 AND f.organisation_id = $2 AND (
    f.owner_id = $1 OR EXISTS (
        SELECT FROM file_links l JOIN chat_cards k ON k.id = l.chat_id
        WHERE l.file_id = f.id AND may_read(k.id, k.root_id, k.owner_id, $1)
    ))
