-- Drop what is known about calls whose results are committed.
DELETE FROM journal j
USING unnest($1::uuid[], $2::integer[], $3::integer[]) AS done(chat_id, message, index)
WHERE j.chat_id = done.chat_id AND j.message = done.message AND j.index = done.index
