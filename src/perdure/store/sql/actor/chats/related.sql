-- The descendants of these roots that somebody may read, in the order in which they came to be.
SELECT e.*, k.*, coalesce(r.number, 0) AS read_number
FROM cards k
JOIN chats e ON e.id = k.id
LEFT JOIN read_markers r ON r.chat_id = k.id AND r.user_id = $1
WHERE k.root_id = ANY($3::uuid[]) AND k.organisation_id = $2 AND may_read(k.id, k.root_id, k.owner_id, $1)
ORDER BY k.created_at, k.id
