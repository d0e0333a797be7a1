-- What lists need to catch up: when a card changed, and what somebody can no longer see.

ALTER TABLE chat_cards ADD COLUMN changed_at timestamptz NOT NULL DEFAULT now();
ALTER TABLE read_markers ADD COLUMN marked_at timestamptz NOT NULL DEFAULT now();
CREATE INDEX chat_cards_watched ON chat_cards (owner_id);

-- A step moves a card's own time and fires nothing; a new name, label or pin does not, and is stamped here.
CREATE FUNCTION stamp_card() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    NEW.changed_at := now();
    RETURN NEW;
END
$$;
CREATE TRIGGER chat_cards_changed BEFORE UPDATE ON chat_cards FOR EACH ROW
    WHEN (NEW.metadata_version <> OLD.metadata_version AND NEW.updated_at = OLD.updated_at)
    EXECUTE FUNCTION stamp_card();

CREATE FUNCTION stamp_marker() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    NEW.marked_at := now();
    RETURN NEW;
END
$$;
CREATE TRIGGER read_markers_changed BEFORE UPDATE ON read_markers FOR EACH ROW EXECUTE FUNCTION stamp_marker();

-- Chats that went out of somebody's sight: deleted, or no longer shared with them. Kept for a day.
CREATE TABLE departures (
    user_id uuid NOT NULL,
    chat_id uuid NOT NULL,
    at timestamptz NOT NULL DEFAULT now(),
    PRIMARY KEY (user_id, chat_id)
);
CREATE INDEX departures_age ON departures (at);

CREATE FUNCTION depart(who uuid[], what uuid) RETURNS void LANGUAGE sql AS $$
    INSERT INTO departures (user_id, chat_id) SELECT DISTINCT u, what FROM unnest(who) AS u
    ON CONFLICT (user_id, chat_id) DO UPDATE SET at = now()
$$;

CREATE FUNCTION card_gone() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    PERFORM depart(ARRAY[OLD.owner_id], OLD.id);
    RETURN NULL;
END
$$;
CREATE TRIGGER chat_cards_gone AFTER DELETE ON chat_cards FOR EACH ROW EXECUTE FUNCTION card_gone();

CREATE FUNCTION share_gone() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    PERFORM depart(
        CASE WHEN OLD.user_id IS NOT NULL THEN ARRAY[OLD.user_id]
        ELSE ARRAY(SELECT m.user_id FROM group_members m WHERE m.group_id = OLD.group_id) END,
        OLD.chat_id
    );
    RETURN NULL;
END
$$;
CREATE TRIGGER chat_shares_gone AFTER DELETE ON chat_shares FOR EACH ROW EXECUTE FUNCTION share_gone();

CREATE FUNCTION member_gone() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    PERFORM depart(ARRAY[OLD.user_id], s.chat_id) FROM chat_shares s WHERE s.group_id = OLD.group_id;
    RETURN NULL;
END
$$;
CREATE TRIGGER group_members_gone AFTER DELETE ON group_members FOR EACH ROW EXECUTE FUNCTION member_gone();
