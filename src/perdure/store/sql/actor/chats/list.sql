-- A page of root chats that somebody may read: pinned ones first, then the newest. $3 archived, $4 shared only,
-- $5 unread only, $6 labels, $7 title, $8 source; $9, $10, $11 the pin, time and id of the last one seen; $12 how many.
SELECT e.*, k.*, coalesce(r.number, 0) AS read_number, extract(epoch FROM k.listed_at) AS age
FROM cards k
JOIN chats e ON e.id = k.id
LEFT JOIN read_markers r ON r.chat_id = k.id AND r.user_id = $1
WHERE k.parent_id IS NULL AND k.organisation_id = $2
    AND k.id IN (
        SELECT c.id FROM chat_cards c WHERE c.owner_id = $1
        UNION ALL
        SELECT s.chat_id FROM chat_shares s WHERE s.user_id = $1
        UNION ALL
        SELECT s.chat_id FROM chat_shares s JOIN group_members m ON m.group_id = s.group_id WHERE m.user_id = $1
    )
    AND ($3::boolean IS NULL OR e.archived = $3)
    AND ($4::boolean IS NULL OR (k.owner_id <> $1) = $4)
    AND ($5::boolean IS NULL OR (e.last_assistant > coalesce(r.number, 0)) = $5)
    AND ($6::jsonb IS NULL OR k.labels @> $6)
    AND ($7::text IS NULL OR k.title ILIKE '%' || $7 || '%')
    AND ($8::text IS NULL OR k.source = $8)
    AND ($9::integer IS NULL OR (
        CASE WHEN k.owner_id = $1 AND k.pin > 0 THEN k.pin ELSE 2147483647 END,
        -extract(epoch FROM k.listed_at), k.id) > ($9, $10::numeric, $11::uuid))
ORDER BY CASE WHEN k.owner_id = $1 AND k.pin > 0 THEN k.pin ELSE 2147483647 END, -extract(epoch FROM k.listed_at), k.id
LIMIT $12
