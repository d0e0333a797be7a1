-- What the last turn of a planning chat ended with, until somebody answers: a card says so, and lists put it first.
CREATE OR REPLACE VIEW cards AS
SELECT c.id, c.organisation_id, c.owner_id, c.parent_id, c.root_id, c.agent_type, c.title, c.title_source, c.labels,
    c.source, c.model, c.effort, c.plan_mode, c.pin, c.workspace_id, c.client_tools, c.client_tool_deadline, c.settings,
    c.turn_label, c.summary, c.summarised_turns, c.turns, c.cost, c.unpriced_calls, c.context_tokens, c.context_limit,
    c.diff, c.context_dirty, c.metadata_version, c.created_at, c.updated_at AS listed_at, now() AS read_at,
    ARRAY(SELECT k.id FROM chat_cards k WHERE k.parent_id = c.id ORDER BY k.created_at, k.id) AS children,
    EXISTS (SELECT FROM chat_shares s WHERE s.chat_id = coalesce(c.root_id, c.id)) AS shared,
    CASE WHEN c.plan_mode THEN (
        SELECT CASE
            WHEN m.parts LIKE '%"tool":"ask_user_question"%' THEN 'question'
            WHEN m.parts LIKE '%"tool":"propose_plan"%' THEN 'plan'
        END
        FROM chats e
        JOIN messages m ON m.chat_id = e.id AND m.number = e.last_assistant
        WHERE e.id = c.id AND e.status = 'waiting' AND NOT e.newest_is_user
    ) END AS asks
FROM chat_cards c;
