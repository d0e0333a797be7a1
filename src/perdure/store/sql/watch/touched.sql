-- These chats as each of these viewers sees them, if they may.
SELECT e.*, k.*, coalesce(r.number, 0) AS read_number, v.user_id AS viewer
FROM unnest($2::uuid[]) AS t (id)
JOIN chats e ON e.id = t.id
JOIN cards k ON k.id = t.id
CROSS JOIN unnest($1::uuid[]) AS v (user_id)
LEFT JOIN read_markers r ON r.chat_id = t.id AND r.user_id = v.user_id
WHERE may_read(k.id, k.root_id, k.owner_id, v.user_id)
ORDER BY e.updated_at
