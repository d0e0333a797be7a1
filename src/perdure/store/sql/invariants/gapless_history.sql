-- Chats whose messages are not numbered from 1 to the newest without a gap.
SELECT chats.id AS chat_id, format('%s messages, the next would be %s', count(number), next_message) AS detail
FROM chats LEFT JOIN messages ON messages.chat_id = chats.id
GROUP BY chats.id
HAVING count(number) <> next_message - 1 OR coalesce(max(number), 0) <> next_message - 1
LIMIT $1
