-- A server that took over takes a write.
INSERT INTO chaos_switchovers (kind) VALUES ($1)
