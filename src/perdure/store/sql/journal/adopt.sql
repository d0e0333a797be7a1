-- Take over a keyed run that another runner started: its executor hands back the same run.
UPDATE journal SET runner_id = $5
WHERE chat_id = $1 AND message = $2 AND index = $3 AND run = $4 AND state = 'started' AND effect = 'keyed'
RETURNING 1
