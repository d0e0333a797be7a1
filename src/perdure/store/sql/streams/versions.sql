-- Where the followed chats stand. A chat that is missing is gone.
SELECT c.id, c.snapshot_version, k.metadata_version
FROM chats c
JOIN chat_cards k ON k.id = c.id
WHERE c.id = ANY($1::uuid[])
