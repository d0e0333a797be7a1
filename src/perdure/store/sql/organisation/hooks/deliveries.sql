-- What a hook was asked and what it answered, newest first: before $3, at most $4.
SELECT d.id, d.dispatch_id, d.event, d.chat_id, d.outcome, d.status, d.attempts, d.duration_ms, d.detail, d.created_at
FROM hook_deliveries d
JOIN hooks h ON h.id = d.hook_id
WHERE h.organisation_id = $1 AND h.id = $2 AND ($3::bigint IS NULL OR d.id < $3)
ORDER BY d.id DESC
LIMIT $4
