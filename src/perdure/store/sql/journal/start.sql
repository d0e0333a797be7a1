-- Say that a call is about to run, while its runner still drives the chat. No row means that it does not.
INSERT INTO journal (chat_id, message, index, run, tool, effect, runner_id, incarnation)
SELECT c.id, $5, $6, $7, $8, $9, $3, $10
FROM chats c
WHERE c.id = $1 AND c.worker_id = $2 AND c.runner_id = $3 AND c.history_version = $4 AND c.status = $11
FOR SHARE
RETURNING 1
