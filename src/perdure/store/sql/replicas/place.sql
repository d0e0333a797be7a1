-- How many replicas live, and how many of them come before this one.
SELECT count(*) AS alive, count(*) FILTER (WHERE id < $1) AS before FROM replicas WHERE seen_at > now() - $2::interval
