-- Give up on a keyed run whose executor is gone: nobody hands it back, so it must not be repeated unasked.
UPDATE journal SET effect = 'once'
WHERE chat_id = $1 AND message = $2 AND index = $3 AND run = $4 AND runner_id = $5 AND state = 'started'
RETURNING 1
