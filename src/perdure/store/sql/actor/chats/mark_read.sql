-- Remember up to which message somebody has read a chat that they may read.
INSERT INTO read_markers (user_id, chat_id, number)
SELECT $1, k.id, $4
FROM cards k
WHERE k.id = $3 AND k.organisation_id = $2 AND may_read(k.id, k.root_id, k.owner_id, $1)
ON CONFLICT (user_id, chat_id) DO UPDATE SET number = excluded.number
RETURNING chat_id
