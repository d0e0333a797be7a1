-- What a workspace tells a chat's agent, as the chat pinned it: the prompt changes only when it is asked to.

CREATE TABLE workspace_contexts (
    chat_id uuid PRIMARY KEY REFERENCES chat_cards ON DELETE CASCADE,
    workspace_id uuid NOT NULL REFERENCES workspaces ON DELETE CASCADE,
    -- Empty while the workspace could not be asked.
    hash text NOT NULL,
    snapshot text NOT NULL,
    -- The turn in which it was asked: one that could not be reached is asked again in the next.
    turns integer NOT NULL,
    pinned_at timestamptz NOT NULL DEFAULT now()
);
CREATE INDEX workspace_contexts_of_workspace ON workspace_contexts (workspace_id);
CREATE INDEX chat_cards_of_workspace ON chat_cards (workspace_id) WHERE workspace_id IS NOT NULL;
