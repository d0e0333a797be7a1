-- Forget departures that are older than any cursor may be.
DELETE FROM departures WHERE at < now() - $1::interval
