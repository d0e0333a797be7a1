-- Keep a call's result, from the runner that started it, whoever drives the chat now.
UPDATE journal SET state = 'finished', result = $6, is_error = $7, finished_at = now()
WHERE chat_id = $1 AND message = $2 AND index = $3 AND run = $4 AND runner_id = $5 AND state = 'started'
RETURNING 1
