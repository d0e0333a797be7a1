-- Which line of history a server writes: it grows when another one takes over.
SELECT substr(pg_walfile_name(pg_current_wal_lsn()), 1, 8)
