-- name: notices.send
-- Pass payloads on to every replica that listens.
SELECT pg_notify($1, payload) FROM unnest($2::text[]) AS payload
