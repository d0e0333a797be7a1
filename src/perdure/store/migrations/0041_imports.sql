-- Which chat each chat of another program became. It outlives the chat, so that what somebody deleted stays deleted.
CREATE TABLE imports (
    owner_id uuid NOT NULL REFERENCES users (id) ON DELETE CASCADE,
    source text NOT NULL,
    source_id text NOT NULL,
    chat_id uuid REFERENCES chat_cards (id) ON DELETE SET NULL,
    generation integer NOT NULL DEFAULT 1,
    created_at timestamptz NOT NULL DEFAULT now(),
    PRIMARY KEY (owner_id, source, source_id)
);

CREATE INDEX imports_of_chat ON imports (chat_id) WHERE chat_id IS NOT NULL;
