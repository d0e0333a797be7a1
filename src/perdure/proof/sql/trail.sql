-- Write down every change of a chat's row, with who made it: each replica connects as a database user of its own.
CREATE TABLE chaos_replicas (id uuid PRIMARY KEY, writer text NOT NULL);
CREATE TABLE chaos_trail (
    number bigint GENERATED ALWAYS AS IDENTITY,
    at timestamptz NOT NULL DEFAULT clock_timestamp(),
    writer text NOT NULL DEFAULT session_user,
    chat_id uuid NOT NULL,
    snapshot bigint NOT NULL,
    history bigint NOT NULL,
    attempt integer NOT NULL,
    status text NOT NULL,
    worker uuid,
    runner uuid,
    old_history bigint,
    old_attempt integer,
    old_status text,
    old_worker uuid,
    old_runner uuid,
    unseen interval,
    severed boolean
);
CREATE TABLE chaos_switchovers (at timestamptz NOT NULL DEFAULT clock_timestamp(), kind text NOT NULL);
CREATE TABLE chaos_stored (
    at timestamptz NOT NULL DEFAULT clock_timestamp(),
    chat_id uuid NOT NULL,
    history bigint NOT NULL,
    attempt integer NOT NULL,
    seq_from integer NOT NULL,
    seq_to integer NOT NULL
);
CREATE FUNCTION chaos_store() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    INSERT INTO chaos_stored (chat_id, history, attempt, seq_from, seq_to)
    VALUES (NEW.chat_id, NEW.history_version, NEW.attempt, NEW.seq_from, NEW.seq_to);
    RETURN NULL;
END $$;
CREATE FUNCTION chaos_replica() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    INSERT INTO chaos_replicas VALUES (NEW.id, session_user) ON CONFLICT DO NOTHING;
    RETURN NULL;
END $$;
CREATE FUNCTION chaos_change() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    INSERT INTO chaos_trail (
        chat_id, snapshot, history, attempt, status, worker, runner,
        old_history, old_attempt, old_status, old_worker, old_runner, unseen, severed
    ) VALUES (
        NEW.id, NEW.snapshot_version, NEW.history_version, NEW.generation_attempt, NEW.status, NEW.worker_id, NEW.runner_id,
        OLD.history_version, OLD.generation_attempt, OLD.status, OLD.worker_id, OLD.runner_id,
        (SELECT clock_timestamp() - coalesce(silent_since, seen_at) FROM replicas WHERE id = OLD.worker_id),
        (SELECT NOT EXISTS (SELECT FROM pg_stat_get_activity(session)) FROM replicas WHERE id = OLD.worker_id)
    );
    RETURN NULL;
END $$;
CREATE TRIGGER chaos_replica AFTER INSERT ON replicas FOR EACH ROW EXECUTE FUNCTION chaos_replica();
CREATE TRIGGER chaos_change AFTER INSERT OR UPDATE ON chats FOR EACH ROW EXECUTE FUNCTION chaos_change();
CREATE TRIGGER chaos_store AFTER INSERT OR UPDATE ON segments FOR EACH ROW EXECUTE FUNCTION chaos_store();
