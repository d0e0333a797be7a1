-- Chats that no list can show.
SELECT chats.id AS chat_id, 'it has no card' AS detail
FROM chats LEFT JOIN chat_cards ON chat_cards.id = chats.id
WHERE chat_cards.id IS NULL
LIMIT $1
