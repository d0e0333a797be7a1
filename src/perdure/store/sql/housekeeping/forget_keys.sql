-- Forget the answers of requests that may not be repeated any more.
DELETE FROM idempotency_keys WHERE created_at < now() - $1::interval
