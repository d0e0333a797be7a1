-- A chat to commit to.
INSERT INTO floor_chats VALUES ($1, 0, 'waiting')
