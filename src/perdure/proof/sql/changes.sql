-- Every change of every chat, in the order of its snapshots.
SELECT t.*, extract(epoch FROM t.at)::float8 AS epoch, extract(epoch FROM t.unseen)::float8 AS unseen_seconds, r.writer AS old_writer
FROM chaos_trail t LEFT JOIN chaos_replicas r ON r.id = t.old_worker
ORDER BY t.chat_id, t.snapshot, t.number
