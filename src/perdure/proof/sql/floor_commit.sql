-- One durable commit: the chat moves on, and a message is there.
WITH moved AS (UPDATE floor_chats SET version = version + 1, status = $2 WHERE id = $1 RETURNING id, version)
INSERT INTO floor_messages SELECT id, version, $3 FROM moved RETURNING number
