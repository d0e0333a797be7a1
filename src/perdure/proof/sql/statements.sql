-- What every statement cost so far.
SELECT query, sum(calls)::bigint AS calls, sum(rows)::bigint AS rows, sum(wal_records)::bigint AS records
FROM pg_stat_statements GROUP BY query
