-- Say something that was said before.
SELECT pg_notify($1, $2)
