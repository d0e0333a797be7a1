-- With whom a root chat that somebody may read is shared.
SELECT s.user_id, s.group_id
FROM chat_cards k
JOIN chat_shares s ON s.chat_id = k.id
WHERE k.id = $3 AND k.organisation_id = $2 AND may_read(k.id, k.root_id, k.owner_id, $1)
ORDER BY s.created_at, s.user_id, s.group_id
