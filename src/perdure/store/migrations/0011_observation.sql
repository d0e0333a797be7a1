-- What was said between us and models, for a while, where an organisation asks for it.
CREATE TABLE debug_runs (
    id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    chat_id uuid NOT NULL REFERENCES chats (id) ON DELETE CASCADE,
    turn integer NOT NULL,
    attempt integer NOT NULL,
    purpose text NOT NULL,
    provider text NOT NULL,
    model text NOT NULL,
    started_at timestamptz NOT NULL,
    first_event_ms integer,
    duration_ms integer NOT NULL,
    outcome text NOT NULL,
    status integer,
    error text,
    usage jsonb,
    cost bigint,
    blocks text[] NOT NULL,
    request bytea NOT NULL,
    response bytea NOT NULL,
    expires_at timestamptz NOT NULL
);
CREATE INDEX debug_runs_by_chat ON debug_runs (chat_id, id);
CREATE INDEX debug_runs_by_expiry ON debug_runs (expires_at);

-- Which request a turn belongs to, for traces: any replica may drive the turn. Unlogged: after a crash a trace begins anew.
CREATE UNLOGGED TABLE turn_traces (
    chat_id uuid NOT NULL,
    turn integer NOT NULL,
    traceparent text NOT NULL,
    began_at timestamptz NOT NULL DEFAULT now(),
    PRIMARY KEY (chat_id, turn)
);
CREATE INDEX turn_traces_by_age ON turn_traces (began_at);
