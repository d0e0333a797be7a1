-- The stored pieces of one episode after a part's number, in order.
SELECT seq_from, seq_to, content
FROM segments
WHERE chat_id = $1 AND history_version = $2 AND attempt = $3 AND seq_to > $4
ORDER BY seq_from
