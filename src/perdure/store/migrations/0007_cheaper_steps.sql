-- What every step paid for and nobody used.

-- Lists sort by pin and by the newer of two times; no list reads in the order of this index. Without it a step changes
-- no indexed column of the card, and the update stays within its page.
DROP INDEX chat_cards_listed;

-- A condition is compiled at every update, a list of columns is not. A step sets none of these.
DROP TRIGGER chat_cards_changed ON chat_cards;
CREATE TRIGGER chat_cards_changed BEFORE UPDATE OF
    title, title_source, labels, model, effort, plan_mode, pin, workspace_id, client_tools, client_tool_deadline, settings,
    turn_label, summary, diff, context_dirty
    ON chat_cards FOR EACH ROW EXECUTE FUNCTION stamp_card();
