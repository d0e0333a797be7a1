-- Throw away the oldest part of the log.
DELETE FROM hook_deliveries WHERE created_at < now() - $1::interval
