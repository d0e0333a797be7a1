-- For each viewer, the chats that they may see and that changed after the moment they name.
SELECT e.*, k.*, coalesce(r.number, 0) AS read_number, v.user_id AS viewer
FROM unnest($1::uuid[], $2::timestamptz[]) AS v (user_id, since)
CROSS JOIN LATERAL (
    SELECT c.id FROM chat_cards c WHERE c.owner_id = v.user_id
    UNION
    SELECT c.id
    FROM chat_shares s
    JOIN chat_cards c ON c.id = s.chat_id OR c.root_id = s.chat_id
    WHERE s.user_id = v.user_id
        OR s.group_id IN (SELECT m.group_id FROM group_members m WHERE m.user_id = v.user_id)
) AS seen
JOIN chats e ON e.id = seen.id
JOIN chat_cards c ON c.id = seen.id
JOIN cards k ON k.id = seen.id
LEFT JOIN read_markers r ON r.chat_id = seen.id AND r.user_id = v.user_id
WHERE greatest(e.updated_at, c.updated_at, c.changed_at, r.marked_at) > v.since
ORDER BY e.updated_at
