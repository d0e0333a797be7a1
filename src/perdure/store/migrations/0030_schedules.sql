-- Chats that begin by themselves: when something is due, what is said then, and what became of it.
CREATE TABLE schedules (
    id uuid PRIMARY KEY DEFAULT gen_random_uuid(),
    organisation_id uuid NOT NULL REFERENCES organisations (id) ON DELETE CASCADE,
    owner_id uuid NOT NULL REFERENCES users (id) ON DELETE CASCADE,
    options text NOT NULL,
    next_at timestamptz,
    paused_at timestamptz,
    pause_reason text NOT NULL DEFAULT '',
    failures integer NOT NULL DEFAULT 0,
    last_chat_id uuid,
    created_at timestamptz NOT NULL DEFAULT now(),
    CONSTRAINT schedules_paused CHECK (paused_at IS NULL OR next_at IS NULL)
) WITH (fillfactor = 80);

CREATE INDEX schedules_due ON schedules (next_at) WHERE next_at IS NOT NULL;
CREATE INDEX schedules_of_owner ON schedules (owner_id, created_at);

-- A due time that passes becomes one of these in the statement that moves the schedule on.
CREATE TABLE schedule_runs (
    id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    schedule_id uuid NOT NULL REFERENCES schedules (id) ON DELETE CASCADE,
    due_at timestamptz NOT NULL,
    last_due_at timestamptz NOT NULL,
    times integer NOT NULL DEFAULT 1 CHECK (times > 0),
    state text NOT NULL CHECK (state IN ('due', 'begun', 'finished', 'failed', 'skipped')),
    detail text NOT NULL DEFAULT '',
    chat_id uuid,
    taken_at timestamptz,
    created_at timestamptz NOT NULL DEFAULT now(),
    begun_at timestamptz,
    ended_at timestamptz,
    UNIQUE (schedule_id, due_at)
) WITH (fillfactor = 80);

CREATE INDEX schedule_runs_due ON schedule_runs (due_at) WHERE state = 'due';
CREATE INDEX schedule_runs_first ON schedule_runs (schedule_id, id) WHERE state = 'due';
CREATE INDEX schedule_runs_begun ON schedule_runs (id) WHERE state = 'begun';

ALTER DOMAIN inbox_kind DROP CONSTRAINT inbox_kind_check;
ALTER DOMAIN inbox_kind ADD CONSTRAINT inbox_kind_check CHECK (
    VALUE IN ('finished', 'failed', 'needs_you', 'shared', 'digest', 'schedule_paused')
);
