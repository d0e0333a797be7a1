-- name: background_responses.find
-- The response that answers this history, if one was begun.
SELECT response_id FROM background_responses WHERE chat_id = $1 AND history_version = $2 AND model = $3

-- name: background_responses.put
-- Remember which response answers this history.
INSERT INTO background_responses (chat_id, history_version, model, response_id)
VALUES ($1, $2, $3, $4)
ON CONFLICT (chat_id) DO UPDATE
SET history_version = excluded.history_version, model = excluded.model, response_id = excluded.response_id,
    created_at = now()

-- name: background_responses.drop
-- Forget a response that is of no use any more.
DELETE FROM background_responses WHERE chat_id = $1
