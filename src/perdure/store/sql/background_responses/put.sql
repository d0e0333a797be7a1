-- Remember which response answers this history.
INSERT INTO background_responses (chat_id, history_version, model, response_id)
VALUES ($1, $2, $3, $4)
ON CONFLICT (chat_id) DO UPDATE
SET history_version = excluded.history_version, model = excluded.model, response_id = excluded.response_id,
    created_at = now()
