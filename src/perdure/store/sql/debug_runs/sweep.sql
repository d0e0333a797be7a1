-- Drop calls whose time is over.
DELETE FROM debug_runs WHERE expires_at < now()
