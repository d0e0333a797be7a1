-- Forget what was counted last by replicas that have not counted anything since.
DELETE FROM settled WHERE settled_at < now() - $1::interval
