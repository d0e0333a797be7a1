-- Whose earlier states of files a workspace keeps, so that they can go when the chat is gone. The chat itself may be deleted.
CREATE TABLE kept_files (
    workspace_id uuid NOT NULL REFERENCES workspaces (id) ON DELETE CASCADE,
    chat_id uuid NOT NULL,
    PRIMARY KEY (workspace_id, chat_id)
);
INSERT INTO kept_files (workspace_id, chat_id)
SELECT workspace_id, id FROM chat_cards WHERE parent_id IS NULL AND workspace_id IS NOT NULL;
