-- Where a living replica is reached by the others.
SELECT address FROM replicas WHERE id = $1 AND seen_at > now() - $2::interval
