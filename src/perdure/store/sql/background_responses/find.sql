-- The response that answers this history, if one was begun.
SELECT response_id FROM background_responses WHERE chat_id = $1 AND history_version = $2 AND model = $3
