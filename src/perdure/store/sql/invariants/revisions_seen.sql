-- Messages that claim a change which the chat has not seen.
SELECT chats.id AS chat_id, format('message %s is of snapshot %s, the chat of %s', number, revision, snapshot_version) AS detail
FROM chats JOIN messages ON messages.chat_id = chats.id
WHERE revision > snapshot_version
LIMIT $1
