-- Forget a response that is of no use any more.
DELETE FROM background_responses WHERE chat_id = $1
