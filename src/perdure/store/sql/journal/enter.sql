-- Note which incarnation of its workspace a run reached.
UPDATE journal SET incarnation = $6
WHERE chat_id = $1 AND message = $2 AND index = $3 AND run = $4 AND runner_id = $5
