-- Note that a replica counts this batch of spending; nothing comes back where that is done already.
INSERT INTO settled AS s (replica_id, batch) VALUES ($1, $2)
ON CONFLICT (replica_id) DO UPDATE SET batch = excluded.batch, settled_at = now() WHERE s.batch <> excluded.batch
RETURNING batch
