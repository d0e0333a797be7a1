-- What is known about the calls of one message.
SELECT index, run, tool, effect, state, runner_id, incarnation, result, is_error
FROM journal WHERE chat_id = $1 AND message = $2
