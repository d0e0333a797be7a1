-- Which of these readers may still read which of these chats.
SELECT p.user_id, p.chat_id
FROM unnest($1::uuid[], $2::uuid[]) AS p(user_id, chat_id)
JOIN chat_cards c ON c.id = p.chat_id
WHERE may_read(c.id, c.root_id, c.owner_id, p.user_id)
