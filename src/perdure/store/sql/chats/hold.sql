-- The execution state of one chat, held until the transaction ends.
SELECT * FROM chats WHERE id = $1 FOR NO KEY UPDATE
