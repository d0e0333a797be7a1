-- Which line of the database's history a chat was last changed on. A failover begins a new line; where it lost commits, two
-- lines have changes of the same number, and only the line tells them apart.
ALTER TABLE chats ADD COLUMN line integer NOT NULL DEFAULT 0;
-- The lines before, newest first, and the last snapshot that the chat had on each.
ALTER TABLE chats ADD COLUMN earlier_lines integer[] NOT NULL DEFAULT '{}';
ALTER TABLE chats ADD COLUMN last_snapshots bigint[] NOT NULL DEFAULT '{}';

CREATE FUNCTION current_line() RETURNS integer LANGUAGE sql VOLATILE AS $$
    SELECT ('x' || left(pg_walfile_name(pg_current_wal_insert_lsn()), 8))::bit(32)::integer
$$;

-- A trigger, so that no statement that changes a chat can leave it out.
CREATE FUNCTION keep_line() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    NEW.line := current_line();
    IF TG_OP = 'UPDATE' AND OLD.line <> NEW.line THEN
        NEW.earlier_lines := (array_prepend(OLD.line, OLD.earlier_lines))[1:16];
        NEW.last_snapshots := (array_prepend(OLD.snapshot_version, OLD.last_snapshots))[1:16];
    END IF;
    RETURN NEW;
END $$;

CREATE TRIGGER keep_line BEFORE INSERT OR UPDATE OF snapshot_version ON chats FOR EACH ROW EXECUTE FUNCTION keep_line();
