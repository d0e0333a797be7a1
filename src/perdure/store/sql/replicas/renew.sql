-- Renew a lease that has not run out; list the chats that it covers, and when leases end that are not renewed in time.
-- No row: this replica id is dead for good.
WITH renewed AS (
    UPDATE replicas SET seen_at = now() WHERE id = $1 AND seen_at > now() - $2::interval RETURNING id
)
SELECT
    (SELECT count(*) FROM replicas WHERE seen_at > now() - $2::interval) AS alive,
    ARRAY(
        SELECT seen_at + $2::interval - now() FROM replicas
        WHERE seen_at > now() - $2::interval AND seen_at < now() - $3::interval
    ) AS ends,
    c.id AS chat_id, c.runner_id, c.snapshot_version
FROM renewed r
LEFT JOIN chats c ON c.worker_id = r.id AND c.status IN ('running', 'interrupting')
