-- Every time that another server took over, and when it first took a write.
SELECT kind, extract(epoch FROM at)::float8 AS at FROM chaos_switchovers ORDER BY at
