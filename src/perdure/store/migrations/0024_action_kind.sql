-- What a chat waits for, and what its last answer asks of its owner, as columns: nobody searches JSON for them any more.
ALTER TABLE chats ADD COLUMN action_kind text;
ALTER TABLE chats ADD COLUMN asks_owner text;

UPDATE chats SET action_kind = action::jsonb ->> 'kind' WHERE action IS NOT NULL;

UPDATE chats e
SET asks_owner = CASE WHEN m.parts LIKE '%"tool":"ask_user_question"%' THEN 'question' ELSE 'plan' END
FROM messages m, chat_cards c
WHERE m.chat_id = e.id AND m.number = e.last_assistant AND c.id = e.id AND c.plan_mode
    AND (m.parts LIKE '%"tool":"ask_user_question"%' OR m.parts LIKE '%"tool":"propose_plan"%');

-- Replicas of the version before read it from here.
CREATE OR REPLACE VIEW cards AS
SELECT c.id, c.organisation_id, c.owner_id, c.parent_id, c.root_id, c.agent_type, c.title, c.title_source, c.labels,
    c.source, c.model, c.effort, c.plan_mode, c.pin, c.workspace_id, c.client_tools, c.client_tool_deadline, c.settings,
    c.turn_label, c.summary, c.summarised_turns, c.turns, c.cost, c.unpriced_calls, c.context_tokens, c.context_limit,
    c.diff, c.context_dirty, c.metadata_version, c.created_at, c.updated_at AS listed_at, now() AS read_at,
    ARRAY(SELECT k.id FROM chat_cards k WHERE k.parent_id = c.id ORDER BY k.created_at, k.id) AS children,
    EXISTS (SELECT FROM chat_shares s WHERE s.chat_id = coalesce(c.root_id, c.id)) AS shared,
    CASE WHEN c.plan_mode THEN (
        SELECT e.asks_owner FROM chats e WHERE e.id = c.id AND e.status = 'waiting' AND NOT e.newest_is_user
    ) END AS asks
FROM chat_cards c;
