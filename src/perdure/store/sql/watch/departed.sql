-- What each viewer can no longer see, since the moment they name.
SELECT d.user_id AS viewer, d.chat_id, d.at, now() AS position
FROM unnest($1::uuid[], $2::timestamptz[]) AS v (user_id, since)
JOIN departures d ON d.user_id = v.user_id AND d.at > v.since
LEFT JOIN chat_cards c ON c.id = d.chat_id
WHERE c.id IS NULL OR NOT may_read(c.id, c.root_id, c.owner_id, d.user_id)
