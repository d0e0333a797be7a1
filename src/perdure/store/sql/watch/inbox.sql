-- For each viewer, the inbox entries that are new or were read after the moment they name, and how many are unread.
SELECT v.user_id AS viewer, i.id, i.chat_id, i.kind, i.title, i.text, i.created_at, i.read_at, now() AS position,
    (SELECT count(*) FROM inbox u WHERE u.user_id = v.user_id AND u.read_at IS NULL) AS unread
FROM unnest($1::uuid[], $2::timestamptz[]) AS v (user_id, since)
LEFT JOIN inbox i ON i.user_id = v.user_id AND greatest(i.created_at, i.read_at) > v.since
ORDER BY i.created_at
