-- Which response a provider makes in the background for a chat's history: another replica may listen to the same one.
CREATE TABLE background_responses (
    chat_id uuid PRIMARY KEY REFERENCES chats ON DELETE CASCADE,
    history_version bigint NOT NULL,
    model text NOT NULL,
    response_id text NOT NULL,
    created_at timestamptz NOT NULL DEFAULT now()
);
