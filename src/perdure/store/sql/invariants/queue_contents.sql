-- Chats whose queue names messages that are not there, or the other way round.
WITH named AS (
    SELECT id AS chat_id, abs(unnest(queue)) AS number FROM chats
), kept AS (
    SELECT chat_id, number FROM queued_messages WHERE removed_in IS NULL
)
SELECT
    coalesce(named.chat_id, kept.chat_id) AS chat_id,
    CASE WHEN kept.number IS NULL
        THEN format('the queue names %s, which has no contents', named.number)
        ELSE format('%s has contents and is not in the queue', kept.number)
    END AS detail
FROM named FULL JOIN kept ON kept.chat_id = named.chat_id AND kept.number = named.number
WHERE named.number IS NULL OR kept.number IS NULL
LIMIT $1
