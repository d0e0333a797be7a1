-- These entries were pushed, unless they have changed since.
UPDATE inbox i SET pushed_at = now()
FROM unnest($1::bigint[], $2::timestamptz[]) AS d (id, created_at)
WHERE i.id = d.id AND i.created_at = d.created_at
