-- The calls to models that are kept of a chat, newest first, before one of them.
SELECT r.*
FROM chat_cards k
JOIN debug_runs r ON r.chat_id = k.id
WHERE k.id = $3 AND k.organisation_id = $2 AND may_read(k.id, k.root_id, k.owner_id, $1)
    AND r.expires_at > now() AND ($4::bigint IS NULL OR r.id < $4)
ORDER BY r.id DESC
LIMIT $5
