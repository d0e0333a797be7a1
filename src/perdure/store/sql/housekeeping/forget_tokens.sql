-- Forget tokens that have been over for so long that nobody asks why.
DELETE FROM tokens WHERE expires_at < now() - $1::interval
