-- Give up on runs whose outcome nobody will learn: the user said repeat, skip, or what happened.
UPDATE journal SET state = 'closed'
WHERE chat_id = $1 AND message = $2 AND index = ANY($3::integer[]) AND state = 'started'
