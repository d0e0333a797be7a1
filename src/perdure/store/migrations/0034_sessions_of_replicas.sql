-- The session at the database that a replica renewed its lease in. Where it has ended, the replica need not be waited for:
-- its lease is ended, and since when nothing was heard of it is kept.
ALTER TABLE replicas ADD COLUMN session integer, ADD COLUMN silent_since timestamptz;
