-- The execution state of one chat.
SELECT * FROM chats WHERE id = $1
