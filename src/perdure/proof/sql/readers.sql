-- Sessions of replicas on a server that takes no writes, and when each last asked for something. One that only looks
-- what a host is does not use it.
SELECT usename, extract(epoch FROM query_start)::float8
FROM pg_stat_activity
WHERE pg_is_in_recovery() AND usename LIKE 'replica\_%' AND query_start IS NOT NULL AND application_name <> 'perdure hosts'
