-- The schema that the migrations make, written by `make schema`. Read it; change it by a new migration.

CREATE DOMAIN public.chat_status AS text
	CONSTRAINT chat_status_check CHECK ((VALUE = ANY (ARRAY['waiting'::text, 'running'::text, 'interrupting'::text, 'requires_action'::text, 'error'::text])));

CREATE DOMAIN public.inbox_kind AS text
	CONSTRAINT inbox_kind_check CHECK ((VALUE = ANY (ARRAY['finished'::text, 'failed'::text, 'needs_you'::text, 'shared'::text, 'digest'::text, 'schedule_paused'::text, 'mention'::text])));

CREATE DOMAIN public.message_role AS text
	CONSTRAINT message_role_check CHECK ((VALUE = ANY (ARRAY['system'::text, 'user'::text, 'assistant'::text, 'tool'::text])));

CREATE DOMAIN public.message_visibility AS text
	CONSTRAINT message_visibility_check CHECK ((VALUE = ANY (ARRAY['both'::text, 'user'::text, 'model'::text])));

CREATE DOMAIN public.pin_order AS integer
	CONSTRAINT pin_order_check CHECK ((VALUE >= 0));

CREATE DOMAIN public.share_role AS text
	CONSTRAINT share_role_check CHECK ((VALUE = ANY (ARRAY['read'::text, 'write'::text, 'approve'::text])));

CREATE DOMAIN public.title_source AS text
	CONSTRAINT title_source_check CHECK ((VALUE = ANY (ARRAY['fallback'::text, 'generated'::text, 'named'::text])));

CREATE FUNCTION public.any_word(words text) RETURNS tsquery
    LANGUAGE sql IMMUTABLE PARALLEL SAFE
    AS $$
    SELECT replace(plainto_tsquery('english', words)::text, '&', '|')::tsquery
        || replace(plainto_tsquery('simple', words)::text, '&', '|')::tsquery
$$;

CREATE FUNCTION public.card_gone() RETURNS trigger
    LANGUAGE plpgsql
    AS $$
BEGIN
    PERFORM depart(ARRAY[OLD.owner_id], OLD.id);
    RETURN NULL;
END
$$;

CREATE FUNCTION public.current_line() RETURNS integer
    LANGUAGE sql
    AS $$
    SELECT ('x' || left(pg_walfile_name(pg_current_wal_insert_lsn()), 8))::bit(32)::integer
$$;

CREATE FUNCTION public.depart(who uuid[], what uuid) RETURNS void
    LANGUAGE sql
    AS $$
    INSERT INTO departures (user_id, chat_id) SELECT DISTINCT u, what FROM unnest(who) AS u
    ON CONFLICT (user_id, chat_id) DO UPDATE SET at = now()
$$;

CREATE FUNCTION public.expect(ok boolean, what text) RETURNS void
    LANGUAGE plpgsql
    AS $$
BEGIN
    IF NOT coalesce(ok, false) THEN
        RAISE EXCEPTION 'expected: %', what USING ERRCODE = 'PD001';
    END IF;
END
$$;

CREATE FUNCTION public.forget_chats() RETURNS trigger
    LANGUAGE plpgsql
    AS $$
BEGIN
    DELETE FROM messages WHERE chat_id IN (SELECT id FROM forgotten);
    DELETE FROM queued_messages WHERE chat_id IN (SELECT id FROM forgotten);
    DELETE FROM inbox WHERE chat_id IN (SELECT id FROM forgotten);
    DELETE FROM face_notes WHERE chat_id IN (SELECT id FROM forgotten);
    RETURN NULL;
END
$$;

CREATE FUNCTION public.forget_users() RETURNS trigger
    LANGUAGE plpgsql
    AS $$
BEGIN
    DELETE FROM inbox WHERE user_id IN (SELECT id FROM forgotten);
    RETURN NULL;
END
$$;

CREATE FUNCTION public.is_listed_for(chat uuid, root uuid, owner uuid, reader uuid) RETURNS boolean
    LANGUAGE sql STABLE PARALLEL SAFE
    AS $$
    SELECT owner = reader OR EXISTS (
        SELECT FROM chat_shares s
        WHERE s.chat_id = coalesce(root, chat)
            AND (s.user_id = reader
                 OR s.group_id IN (SELECT m.group_id FROM group_members m WHERE m.user_id = reader))
    )
$$;

CREATE FUNCTION public.is_private(root uuid) RETURNS boolean
    LANGUAGE sql STABLE PARALLEL SAFE
    AS $$
    SELECT NOT EXISTS (SELECT FROM chat_shares s WHERE s.chat_id = root)
        AND NOT EXISTS (SELECT FROM chat_links l WHERE l.chat_id = root)
        AND NOT EXISTS (
            SELECT FROM trigger_threads t JOIN webhooks w ON w.trigger_id = t.trigger_id WHERE t.chat_id = root
        )
$$;

CREATE FUNCTION public.keep_line() RETURNS trigger
    LANGUAGE plpgsql
    AS $$
BEGIN
    NEW.line := current_line();
    IF TG_OP = 'UPDATE' AND OLD.line <> NEW.line THEN
        NEW.earlier_lines := (array_prepend(OLD.line, OLD.earlier_lines))[1:16];
        NEW.last_snapshots := (array_prepend(OLD.snapshot_version, OLD.last_snapshots))[1:16];
    END IF;
    RETURN NEW;
END $$;

CREATE FUNCTION public.may_read(chat uuid, root uuid, owner uuid, reader uuid) RETURNS boolean
    LANGUAGE sql STABLE PARALLEL SAFE
    AS $$
    SELECT is_listed_for(chat, root, owner, reader) OR EXISTS (
        SELECT FROM users gone JOIN users admin ON admin.organisation_id = gone.organisation_id
        WHERE gone.id = owner AND gone.disabled_at IS NOT NULL
            AND admin.id = reader AND admin.role IN ('owner', 'admin') AND admin.disabled_at IS NULL
    )
$$;

CREATE FUNCTION public.may_write(chat uuid, root uuid, owner uuid, writer uuid) RETURNS boolean
    LANGUAGE sql STABLE PARALLEL SAFE
    AS $$
    SELECT EXISTS (SELECT FROM users u WHERE u.id = writer AND u.disabled_at IS NULL) AND (owner = writer OR EXISTS (
        SELECT FROM chat_people p WHERE p.chat_id = coalesce(root, chat) AND p.user_id = writer AND p.role <> 'read'
    ))
$$;

CREATE FUNCTION public.member_gone() RETURNS trigger
    LANGUAGE plpgsql
    AS $$
BEGIN
    PERFORM depart(ARRAY[OLD.user_id], s.chat_id) FROM chat_shares s WHERE s.group_id = OLD.group_id;
    RETURN NULL;
END
$$;

CREATE FUNCTION public.share_gone() RETURNS trigger
    LANGUAGE plpgsql
    AS $$
BEGIN
    PERFORM depart(
        CASE WHEN OLD.user_id IS NOT NULL THEN ARRAY[OLD.user_id]
        ELSE ARRAY(SELECT m.user_id FROM group_members m WHERE m.group_id = OLD.group_id) END,
        OLD.chat_id
    );
    RETURN NULL;
END
$$;

CREATE FUNCTION public.stamp_card() RETURNS trigger
    LANGUAGE plpgsql
    AS $$
BEGIN
    NEW.changed_at := now();
    RETURN NEW;
END
$$;

CREATE FUNCTION public.stamp_marker() RETURNS trigger
    LANGUAGE plpgsql
    AS $$
BEGIN
    NEW.marked_at := now();
    RETURN NEW;
END
$$;

CREATE TABLE public.audit (
    id bigint NOT NULL,
    organisation_id uuid NOT NULL,
    actor_id uuid,
    action text NOT NULL,
    subject text DEFAULT ''::text NOT NULL,
    detail text DEFAULT '{}'::text NOT NULL,
    at timestamp with time zone DEFAULT now() NOT NULL
);

ALTER TABLE public.audit ALTER COLUMN id ADD GENERATED ALWAYS AS IDENTITY (
    SEQUENCE NAME public.audit_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);

CREATE TABLE public.background_responses (
    chat_id uuid NOT NULL,
    history_version bigint NOT NULL,
    model text NOT NULL,
    response_id text NOT NULL,
    created_at timestamp with time zone DEFAULT now() NOT NULL
);

CREATE TABLE public.budget_slices (
    payer uuid NOT NULL,
    month date NOT NULL,
    replica_id uuid NOT NULL,
    amount bigint NOT NULL,
    CONSTRAINT budget_slices_amount_check CHECK ((amount >= 0))
)
WITH (fillfactor='50');

CREATE TABLE public.budgets (
    payer uuid NOT NULL,
    month date NOT NULL,
    spent bigint DEFAULT 0 NOT NULL,
    held bigint DEFAULT 0 NOT NULL
)
WITH (fillfactor='50');

CREATE TABLE public.chat_cards (
    id uuid NOT NULL,
    organisation_id uuid NOT NULL,
    owner_id uuid NOT NULL,
    parent_id uuid,
    root_id uuid,
    agent_type text,
    title text NOT NULL,
    title_source public.title_source DEFAULT 'fallback'::text NOT NULL,
    labels jsonb DEFAULT '{}'::jsonb NOT NULL,
    source text DEFAULT 'api'::text NOT NULL,
    model text,
    effort text,
    plan_mode boolean DEFAULT false NOT NULL,
    pin public.pin_order DEFAULT 0 NOT NULL,
    workspace_id uuid,
    client_tools text DEFAULT '[]'::text NOT NULL,
    client_tool_deadline interval,
    settings text DEFAULT '{}'::text NOT NULL,
    turn_label text,
    summary text,
    summarised_turns integer DEFAULT 0 NOT NULL,
    turns integer DEFAULT 0 NOT NULL,
    cost bigint DEFAULT 0 NOT NULL,
    unpriced_calls integer DEFAULT 0 NOT NULL,
    context_tokens integer,
    context_limit integer,
    metadata_version bigint DEFAULT 1 NOT NULL,
    created_at timestamp with time zone DEFAULT now() NOT NULL,
    updated_at timestamp with time zone DEFAULT now() NOT NULL,
    diff text,
    context_dirty boolean DEFAULT false NOT NULL,
    changed_at timestamp with time zone DEFAULT now() NOT NULL,
    words_calls integer DEFAULT 0 NOT NULL,
    words_unpriced integer DEFAULT 0 NOT NULL,
    words_cost bigint DEFAULT 0 NOT NULL,
    described_turns integer DEFAULT 0 NOT NULL
)
WITH (fillfactor='80');

CREATE TABLE public.chat_shares (
    chat_id uuid NOT NULL,
    user_id uuid,
    group_id uuid,
    created_at timestamp with time zone DEFAULT now() NOT NULL,
    link_id uuid,
    role public.share_role DEFAULT 'read'::text NOT NULL,
    CONSTRAINT chat_shares_check CHECK (((user_id IS NULL) <> (group_id IS NULL)))
);

CREATE TABLE public.chats (
    id uuid NOT NULL,
    status public.chat_status NOT NULL,
    archived boolean DEFAULT false NOT NULL,
    worker_id uuid,
    runner_id uuid,
    last_error text,
    retry_state text,
    action text,
    action_deadline_at timestamp with time zone,
    compaction_requested_at timestamp with time zone,
    budget_declined boolean DEFAULT false NOT NULL,
    turn integer DEFAULT 0 NOT NULL,
    continuing boolean DEFAULT false NOT NULL,
    newest_is_user boolean DEFAULT false NOT NULL,
    last_assistant integer DEFAULT 0 NOT NULL,
    open_calls text DEFAULT '[]'::text NOT NULL,
    queue integer[] DEFAULT '{}'::integer[] NOT NULL,
    next_message integer DEFAULT 1 NOT NULL,
    next_queued integer DEFAULT 1 NOT NULL,
    file_count integer DEFAULT 0 NOT NULL,
    budget_limit bigint,
    budget_spent bigint DEFAULT 0 NOT NULL,
    budget_reserved bigint DEFAULT 0 NOT NULL,
    snapshot_version bigint NOT NULL,
    history_version bigint DEFAULT 0 NOT NULL,
    queue_version bigint DEFAULT 0 NOT NULL,
    retry_version bigint DEFAULT 0 NOT NULL,
    generation_attempt integer DEFAULT 0 NOT NULL,
    change_id uuid,
    recent_changes uuid[] DEFAULT '{}'::uuid[] NOT NULL,
    updated_at timestamp with time zone DEFAULT now() NOT NULL,
    turn_began_at timestamp with time zone,
    made_file_count integer DEFAULT 0 NOT NULL,
    action_kind text,
    asks_owner text,
    line integer DEFAULT 0 NOT NULL,
    earlier_lines integer[] DEFAULT '{}'::integer[] NOT NULL,
    last_snapshots bigint[] DEFAULT '{}'::bigint[] NOT NULL,
    asked_by uuid,
    stopped_by text,
    CONSTRAINT chats_valid_state CHECK ((((NOT archived) OR ((status)::text = 'waiting'::text) OR ((status)::text = 'error'::text)) AND (((status)::text <> 'waiting'::text) OR (queue = '{}'::integer[])) AND (((status)::text = 'requires_action'::text) = (action IS NOT NULL)) AND ((worker_id IS NULL) = (runner_id IS NULL)) AND (history_version <= snapshot_version)))
)
WITH (fillfactor='50', autovacuum_vacuum_scale_factor='0.02');

CREATE VIEW public.cards AS
 SELECT id,
    organisation_id,
    owner_id,
    parent_id,
    root_id,
    agent_type,
    title,
    title_source,
    labels,
    source,
    model,
    effort,
    plan_mode,
    pin,
    workspace_id,
    client_tools,
    client_tool_deadline,
    settings,
    turn_label,
    summary,
    summarised_turns,
    turns,
    cost,
    unpriced_calls,
    context_tokens,
    context_limit,
    diff,
    context_dirty,
    metadata_version,
    created_at,
    updated_at AS listed_at,
    now() AS read_at,
    ARRAY( SELECT k.id
           FROM public.chat_cards k
          WHERE (k.parent_id = c.id)
          ORDER BY k.created_at, k.id) AS children,
    (EXISTS ( SELECT
           FROM public.chat_shares s
          WHERE (s.chat_id = COALESCE(c.root_id, c.id)))) AS shared,
        CASE
            WHEN plan_mode THEN ( SELECT e.asks_owner
               FROM public.chats e
              WHERE ((e.id = c.id) AND ((e.status)::text = 'waiting'::text) AND (NOT e.newest_is_user)))
            ELSE NULL::text
        END AS asks
   FROM public.chat_cards c;

CREATE TABLE public.channel_codes (
    hash bytea NOT NULL,
    user_id uuid NOT NULL,
    created_at timestamp with time zone DEFAULT now() NOT NULL
);

CREATE TABLE public.channel_people (
    organisation_id uuid NOT NULL,
    channel text NOT NULL,
    external text NOT NULL,
    name text NOT NULL,
    user_id uuid NOT NULL,
    created_at timestamp with time zone DEFAULT now() NOT NULL
);

CREATE TABLE public.chat_links (
    id uuid NOT NULL,
    chat_id uuid NOT NULL,
    created_at timestamp with time zone DEFAULT now() NOT NULL,
    role public.share_role DEFAULT 'read'::text NOT NULL
);

CREATE TABLE public.group_members (
    group_id uuid NOT NULL,
    user_id uuid NOT NULL
);

CREATE VIEW public.chat_people AS
 SELECT s.chat_id,
    s.user_id,
    s.role
   FROM public.chat_shares s
  WHERE (s.user_id IS NOT NULL)
UNION ALL
 SELECT s.chat_id,
    m.user_id,
    s.role
   FROM (public.chat_shares s
     JOIN public.group_members m ON ((m.group_id = s.group_id)));

CREATE TABLE public.debug_runs (
    id bigint NOT NULL,
    chat_id uuid NOT NULL,
    turn integer NOT NULL,
    attempt integer NOT NULL,
    purpose text NOT NULL,
    provider text NOT NULL,
    model text NOT NULL,
    started_at timestamp with time zone NOT NULL,
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
    expires_at timestamp with time zone NOT NULL
);

ALTER TABLE public.debug_runs ALTER COLUMN id ADD GENERATED ALWAYS AS IDENTITY (
    SEQUENCE NAME public.debug_runs_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);

CREATE TABLE public.departures (
    user_id uuid NOT NULL,
    chat_id uuid NOT NULL,
    at timestamp with time zone DEFAULT now() NOT NULL
);

CREATE TABLE public.deployment_secrets (
    name text NOT NULL,
    secret bytea NOT NULL
);

CREATE TABLE public.face_notes (
    chat_id uuid NOT NULL,
    number integer NOT NULL,
    owner_id uuid NOT NULL,
    metadata text DEFAULT '{}'::text NOT NULL,
    items text DEFAULT '[]'::text NOT NULL
);

CREATE TABLE public.file_links (
    chat_id uuid NOT NULL,
    file_id uuid NOT NULL,
    created_at timestamp with time zone DEFAULT now() NOT NULL
);

CREATE TABLE public.files (
    id uuid NOT NULL,
    organisation_id uuid NOT NULL,
    owner_id uuid NOT NULL,
    name text NOT NULL,
    media_type text NOT NULL,
    size integer NOT NULL,
    content bytea,
    created_at timestamp with time zone DEFAULT now() NOT NULL,
    object_id bigint,
    moving_at timestamp with time zone,
    CONSTRAINT files_name_check CHECK ((octet_length(name) <= 255)),
    CONSTRAINT files_place_check CHECK (((content IS NULL) <> (object_id IS NULL))),
    CONSTRAINT files_size_check CHECK ((size <= 10485760))
);
ALTER TABLE ONLY public.files ALTER COLUMN content SET STORAGE EXTERNAL;

CREATE TABLE public.groups (
    id uuid DEFAULT gen_random_uuid() NOT NULL,
    organisation_id uuid NOT NULL,
    name text NOT NULL,
    created_at timestamp with time zone DEFAULT now() NOT NULL
);

CREATE TABLE public.hook_deliveries (
    id bigint NOT NULL,
    hook_id uuid NOT NULL,
    dispatch_id uuid NOT NULL,
    event text NOT NULL,
    chat_id uuid,
    outcome text NOT NULL,
    status integer,
    attempts integer NOT NULL,
    duration_ms integer NOT NULL,
    detail text DEFAULT ''::text NOT NULL,
    created_at timestamp with time zone DEFAULT now() NOT NULL
);

ALTER TABLE public.hook_deliveries ALTER COLUMN id ADD GENERATED ALWAYS AS IDENTITY (
    SEQUENCE NAME public.hook_deliveries_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);

CREATE TABLE public.hooks (
    id uuid DEFAULT gen_random_uuid() NOT NULL,
    organisation_id uuid NOT NULL,
    options text NOT NULL,
    secret bytea NOT NULL,
    created_at timestamp with time zone DEFAULT now() NOT NULL
);

CREATE TABLE public.idempotency_keys (
    caller uuid NOT NULL,
    route text NOT NULL,
    key text NOT NULL,
    request_hash bytea NOT NULL,
    answer text NOT NULL,
    created_at timestamp with time zone DEFAULT now() NOT NULL
);

CREATE TABLE public.identities (
    service text NOT NULL,
    subject text NOT NULL,
    user_id uuid NOT NULL,
    created_at timestamp with time zone DEFAULT now() NOT NULL
);

CREATE TABLE public.imports (
    owner_id uuid NOT NULL,
    source text NOT NULL,
    source_id text NOT NULL,
    chat_id uuid,
    generation integer DEFAULT 1 NOT NULL,
    created_at timestamp with time zone DEFAULT now() NOT NULL
);

CREATE TABLE public.inbox (
    id bigint NOT NULL,
    user_id uuid NOT NULL,
    chat_id uuid,
    kind public.inbox_kind NOT NULL,
    title text DEFAULT ''::text NOT NULL,
    text text DEFAULT ''::text NOT NULL,
    snapshot_version bigint,
    created_at timestamp with time zone DEFAULT now() NOT NULL,
    read_at timestamp with time zone,
    pushed_at timestamp with time zone,
    push_taken_at timestamp with time zone
)
WITH (fillfactor='80');

ALTER TABLE public.inbox ALTER COLUMN id ADD GENERATED ALWAYS AS IDENTITY (
    SEQUENCE NAME public.inbox_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);

CREATE TABLE public.journal (
    chat_id uuid NOT NULL,
    message integer NOT NULL,
    index integer NOT NULL,
    run integer NOT NULL,
    tool text NOT NULL,
    effect text NOT NULL,
    state text DEFAULT 'started'::text NOT NULL,
    runner_id uuid NOT NULL,
    incarnation text,
    result text,
    is_error boolean DEFAULT false NOT NULL,
    started_at timestamp with time zone DEFAULT now() NOT NULL,
    finished_at timestamp with time zone,
    quiet_at timestamp with time zone,
    handle text,
    CONSTRAINT journal_effect_check CHECK ((effect = ANY (ARRAY['keyed'::text, 'once'::text]))),
    CONSTRAINT journal_state_check CHECK ((state = ANY (ARRAY['started'::text, 'finished'::text, 'closed'::text])))
);

CREATE TABLE public.kept_files (
    workspace_id uuid NOT NULL,
    chat_id uuid NOT NULL
);

CREATE TABLE public.login_links (
    hash bytea NOT NULL,
    user_id uuid NOT NULL,
    expires_at timestamp with time zone NOT NULL
);

CREATE TABLE public.login_services (
    id uuid DEFAULT gen_random_uuid() NOT NULL,
    organisation_id uuid NOT NULL,
    slug text NOT NULL,
    name text NOT NULL,
    issuer text NOT NULL,
    client_id text NOT NULL,
    secret bytea,
    options text DEFAULT '{}'::text NOT NULL,
    enabled boolean DEFAULT true NOT NULL,
    created_at timestamp with time zone DEFAULT now() NOT NULL
);

CREATE TABLE public.mcp_grants (
    server_id uuid NOT NULL,
    user_id uuid NOT NULL,
    secret bytea NOT NULL,
    expires_at timestamp with time zone,
    updated_at timestamp with time zone DEFAULT now() NOT NULL
);

CREATE TABLE public.mcp_servers (
    id uuid DEFAULT gen_random_uuid() NOT NULL,
    organisation_id uuid NOT NULL,
    slug text NOT NULL,
    options text NOT NULL,
    secret bytea,
    registration bytea,
    revision bigint DEFAULT 1 NOT NULL,
    created_at timestamp with time zone DEFAULT now() NOT NULL
);

CREATE TABLE public.mcp_sign_ins (
    hash bytea NOT NULL,
    server_id uuid NOT NULL,
    user_id uuid NOT NULL,
    secret bytea NOT NULL,
    expires_at timestamp with time zone NOT NULL
);

CREATE TABLE public.memories (
    id uuid NOT NULL,
    organisation_id uuid NOT NULL,
    owner_id uuid,
    label text DEFAULT ''::text NOT NULL,
    text text NOT NULL,
    by_agent boolean DEFAULT false NOT NULL,
    written_by uuid,
    chat_id uuid,
    message integer,
    created_at timestamp with time zone DEFAULT now() NOT NULL,
    updated_at timestamp with time zone DEFAULT now() NOT NULL,
    document tsvector GENERATED ALWAYS AS ((to_tsvector('english'::regconfig, text) || to_tsvector('simple'::regconfig, text))) STORED NOT NULL,
    CONSTRAINT memories_text_check CHECK (((text <> ''::text) AND (char_length(text) <= 1000)))
);

CREATE TABLE public.messages (
    chat_id uuid NOT NULL,
    number integer NOT NULL,
    revision bigint NOT NULL,
    role public.message_role NOT NULL,
    visibility public.message_visibility NOT NULL,
    kind text NOT NULL,
    parts text NOT NULL,
    created_by uuid,
    model text,
    effort text,
    answer text,
    client_id text,
    queued_as integer,
    covers integer,
    change_id uuid,
    created_at timestamp with time zone DEFAULT now() NOT NULL,
    hidden_in bigint,
    author text
);

CREATE TABLE public.model_settings (
    organisation_id uuid NOT NULL,
    name text NOT NULL,
    provider_id uuid NOT NULL,
    model text NOT NULL,
    display_name text DEFAULT ''::text NOT NULL,
    enabled boolean DEFAULT true NOT NULL,
    chosen boolean DEFAULT false NOT NULL,
    options text DEFAULT '{}'::text NOT NULL,
    created_at timestamp with time zone DEFAULT now() NOT NULL
);

CREATE TABLE public.network_rules (
    id uuid DEFAULT gen_random_uuid() NOT NULL,
    organisation_id uuid NOT NULL,
    chat_id uuid,
    rule text NOT NULL,
    once boolean DEFAULT false NOT NULL,
    created_by uuid,
    created_at timestamp with time zone DEFAULT now() NOT NULL
);

CREATE TABLE public.network_secrets (
    organisation_id uuid NOT NULL,
    name text NOT NULL,
    secret bytea NOT NULL,
    changed_at timestamp with time zone DEFAULT now() NOT NULL
);

CREATE TABLE public.network_use (
    workspace_id uuid NOT NULL,
    incarnation text NOT NULL,
    last bigint NOT NULL,
    allowed bigint NOT NULL,
    refused bigint NOT NULL
);

CREATE TABLE public.objects (
    id bigint NOT NULL,
    organisation_id uuid NOT NULL,
    hash bytea NOT NULL,
    size integer NOT NULL,
    state text DEFAULT 'writing'::text NOT NULL,
    since timestamp with time zone DEFAULT now() NOT NULL,
    CONSTRAINT objects_hash_check CHECK ((octet_length(hash) = 32)),
    CONSTRAINT objects_state_check CHECK ((state = ANY (ARRAY['writing'::text, 'stored'::text, 'unused'::text, 'removing'::text])))
);

ALTER TABLE public.objects ALTER COLUMN id ADD GENERATED ALWAYS AS IDENTITY (
    SEQUENCE NAME public.objects_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);

CREATE TABLE public.organisations (
    id uuid DEFAULT gen_random_uuid() NOT NULL,
    name text NOT NULL,
    created_at timestamp with time zone DEFAULT now() NOT NULL
);

CREATE TABLE public.outbox (
    id bigint NOT NULL,
    name uuid DEFAULT gen_random_uuid() NOT NULL,
    webhook_id uuid NOT NULL,
    chat_id uuid,
    event text NOT NULL,
    number integer,
    state text DEFAULT 'pending'::text NOT NULL,
    attempts integer DEFAULT 0 NOT NULL,
    due_at timestamp with time zone DEFAULT now() NOT NULL,
    taken_until timestamp with time zone,
    status integer,
    detail text DEFAULT ''::text NOT NULL,
    created_at timestamp with time zone DEFAULT now() NOT NULL,
    settled_at timestamp with time zone,
    CONSTRAINT outbox_state_check CHECK ((state = ANY (ARRAY['pending'::text, 'delivered'::text, 'dead'::text])))
)
WITH (fillfactor='70');

ALTER TABLE public.outbox ALTER COLUMN id ADD GENERATED ALWAYS AS IDENTITY (
    SEQUENCE NAME public.outbox_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);

CREATE TABLE public.own_network_secrets (
    user_id uuid NOT NULL,
    organisation_id uuid NOT NULL,
    name text NOT NULL,
    secret bytea NOT NULL,
    changed_at timestamp with time zone DEFAULT now() NOT NULL
);

CREATE TABLE public.provider_keys (
    id uuid DEFAULT gen_random_uuid() NOT NULL,
    provider_id uuid NOT NULL,
    user_id uuid,
    secret bytea NOT NULL,
    hint text NOT NULL,
    created_at timestamp with time zone DEFAULT now() NOT NULL
);

CREATE TABLE public.providers (
    id uuid DEFAULT gen_random_uuid() NOT NULL,
    organisation_id uuid NOT NULL,
    name text NOT NULL,
    dialect text NOT NULL,
    base_url text NOT NULL,
    enabled boolean DEFAULT true NOT NULL,
    options text DEFAULT '{}'::text NOT NULL,
    created_at timestamp with time zone DEFAULT now() NOT NULL
);

CREATE TABLE public.push_subscriptions (
    id uuid DEFAULT gen_random_uuid() NOT NULL,
    user_id uuid NOT NULL,
    endpoint text NOT NULL,
    keys text NOT NULL,
    created_at timestamp with time zone DEFAULT now() NOT NULL
);

CREATE TABLE public.queued_messages (
    chat_id uuid NOT NULL,
    number integer NOT NULL,
    parts text NOT NULL,
    created_by uuid NOT NULL,
    model text,
    effort text,
    client_id text,
    change_id uuid,
    created_at timestamp with time zone DEFAULT now() NOT NULL,
    removed_in bigint,
    author text
);

CREATE TABLE public.read_markers (
    user_id uuid NOT NULL,
    chat_id uuid NOT NULL,
    number integer NOT NULL,
    marked_at timestamp with time zone DEFAULT now() NOT NULL
);

CREATE TABLE public.replicas (
    id uuid NOT NULL,
    address text,
    version text NOT NULL,
    capacity integer DEFAULT 0 NOT NULL,
    started_at timestamp with time zone DEFAULT now() NOT NULL,
    seen_at timestamp with time zone DEFAULT now() NOT NULL,
    session integer,
    silent_since timestamp with time zone,
    line integer
)
WITH (fillfactor='50');

CREATE TABLE public.schedule_runs (
    id bigint NOT NULL,
    schedule_id uuid NOT NULL,
    due_at timestamp with time zone NOT NULL,
    last_due_at timestamp with time zone NOT NULL,
    times integer DEFAULT 1 NOT NULL,
    state text NOT NULL,
    detail text DEFAULT ''::text NOT NULL,
    chat_id uuid,
    taken_at timestamp with time zone,
    created_at timestamp with time zone DEFAULT now() NOT NULL,
    begun_at timestamp with time zone,
    ended_at timestamp with time zone,
    taken_session integer,
    CONSTRAINT schedule_runs_state_check CHECK ((state = ANY (ARRAY['due'::text, 'begun'::text, 'finished'::text, 'failed'::text, 'skipped'::text]))),
    CONSTRAINT schedule_runs_times_check CHECK ((times > 0))
)
WITH (fillfactor='80');

ALTER TABLE public.schedule_runs ALTER COLUMN id ADD GENERATED ALWAYS AS IDENTITY (
    SEQUENCE NAME public.schedule_runs_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);

CREATE TABLE public.schedules (
    id uuid DEFAULT gen_random_uuid() NOT NULL,
    organisation_id uuid NOT NULL,
    owner_id uuid NOT NULL,
    options text NOT NULL,
    next_at timestamp with time zone,
    paused_at timestamp with time zone,
    pause_reason text DEFAULT ''::text NOT NULL,
    failures integer DEFAULT 0 NOT NULL,
    last_chat_id uuid,
    created_at timestamp with time zone DEFAULT now() NOT NULL,
    CONSTRAINT schedules_paused CHECK (((paused_at IS NULL) OR (next_at IS NULL)))
)
WITH (fillfactor='80');

CREATE TABLE public.search_documents (
    chat_id uuid NOT NULL,
    number integer NOT NULL,
    text text NOT NULL,
    document tsvector NOT NULL
);
ALTER TABLE ONLY public.search_documents ALTER COLUMN document SET STORAGE EXTERNAL;

CREATE TABLE public.search_progress (
    chat_id uuid NOT NULL,
    revision bigint NOT NULL
);

CREATE UNLOGGED TABLE public.segments (
    chat_id uuid NOT NULL,
    history_version bigint NOT NULL,
    attempt integer NOT NULL,
    seq_from integer NOT NULL,
    seq_to integer NOT NULL,
    content text NOT NULL,
    created_at timestamp with time zone DEFAULT now() NOT NULL
);

CREATE TABLE public.sessions (
    id uuid DEFAULT gen_random_uuid() NOT NULL,
    hash bytea NOT NULL,
    user_id uuid NOT NULL,
    address text DEFAULT ''::text NOT NULL,
    user_agent text DEFAULT ''::text NOT NULL,
    created_at timestamp with time zone DEFAULT now() NOT NULL,
    expires_at timestamp with time zone NOT NULL
);

CREATE TABLE public.settings (
    organisation_id uuid NOT NULL,
    name text NOT NULL,
    value text NOT NULL,
    updated_at timestamp with time zone DEFAULT now() NOT NULL
);

CREATE TABLE public.settled (
    replica_id uuid NOT NULL,
    batch uuid NOT NULL,
    settled_at timestamp with time zone DEFAULT now() NOT NULL
);

CREATE TABLE public.skills (
    user_id uuid NOT NULL,
    name text NOT NULL,
    description text NOT NULL,
    content text NOT NULL,
    files text DEFAULT '{}'::text NOT NULL,
    updated_at timestamp with time zone DEFAULT now() NOT NULL
);

CREATE TABLE public.templates (
    organisation_id uuid NOT NULL,
    name text NOT NULL,
    recipe text NOT NULL,
    readme text NOT NULL,
    files bytea NOT NULL,
    updated_at timestamp with time zone DEFAULT now() NOT NULL
);

CREATE TABLE public.tokens (
    id uuid DEFAULT gen_random_uuid() NOT NULL,
    hash bytea NOT NULL,
    user_id uuid NOT NULL,
    name text NOT NULL,
    hint text NOT NULL,
    scopes text[] NOT NULL,
    created_at timestamp with time zone DEFAULT now() NOT NULL,
    expires_at timestamp with time zone,
    used_at timestamp with time zone
);

CREATE TABLE public.trigger_deliveries (
    id bigint NOT NULL,
    trigger_id uuid NOT NULL,
    name text,
    thread text DEFAULT ''::text NOT NULL,
    headers text NOT NULL,
    body bytea NOT NULL,
    state text NOT NULL,
    detail text DEFAULT ''::text NOT NULL,
    chat_id uuid,
    taken_at timestamp with time zone,
    created_at timestamp with time zone DEFAULT now() NOT NULL,
    ended_at timestamp with time zone,
    taken_session integer,
    CONSTRAINT trigger_deliveries_state_check CHECK ((state = ANY (ARRAY['due'::text, 'begun'::text, 'failed'::text, 'skipped'::text])))
)
WITH (fillfactor='80');

ALTER TABLE public.trigger_deliveries ALTER COLUMN id ADD GENERATED ALWAYS AS IDENTITY (
    SEQUENCE NAME public.trigger_deliveries_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);

CREATE TABLE public.trigger_threads (
    trigger_id uuid NOT NULL,
    thread text NOT NULL,
    chat_id uuid NOT NULL,
    created_at timestamp with time zone DEFAULT now() NOT NULL,
    shared_at timestamp with time zone
);

CREATE TABLE public.triggers (
    id uuid DEFAULT gen_random_uuid() NOT NULL,
    organisation_id uuid NOT NULL,
    owner_id uuid NOT NULL,
    options text NOT NULL,
    secret bytea NOT NULL,
    enabled boolean DEFAULT true NOT NULL,
    refused_at timestamp with time zone,
    refusal text DEFAULT ''::text NOT NULL,
    created_at timestamp with time zone DEFAULT now() NOT NULL
);

CREATE UNLOGGED TABLE public.turn_traces (
    chat_id uuid NOT NULL,
    turn integer NOT NULL,
    traceparent text NOT NULL,
    began_at timestamp with time zone DEFAULT now() NOT NULL
);

CREATE TABLE public.user_settings (
    user_id uuid NOT NULL,
    name text NOT NULL,
    value text NOT NULL,
    updated_at timestamp with time zone DEFAULT now() NOT NULL
);

CREATE TABLE public.users (
    id uuid DEFAULT gen_random_uuid() NOT NULL,
    organisation_id uuid NOT NULL,
    email text NOT NULL,
    name text DEFAULT ''::text NOT NULL,
    role text DEFAULT 'member'::text NOT NULL,
    created_at timestamp with time zone DEFAULT now() NOT NULL,
    password_hash text,
    preferences text DEFAULT '{}'::text NOT NULL,
    disabled_at timestamp with time zone,
    CONSTRAINT users_role_check CHECK ((role = ANY (ARRAY['owner'::text, 'admin'::text, 'member'::text, 'auditor'::text])))
);

CREATE TABLE public.warm_workspaces (
    id uuid NOT NULL,
    organisation_id uuid NOT NULL,
    template text NOT NULL,
    version text NOT NULL,
    place integer NOT NULL,
    driver text NOT NULL,
    plan text NOT NULL,
    status text DEFAULT 'creating'::text NOT NULL,
    begun_at timestamp with time zone DEFAULT now() NOT NULL,
    CONSTRAINT warm_workspaces_status_check CHECK ((status = ANY (ARRAY['creating'::text, 'ready'::text, 'leaving'::text])))
);

CREATE TABLE public.webhooks (
    id uuid DEFAULT gen_random_uuid() NOT NULL,
    organisation_id uuid NOT NULL,
    owner_id uuid NOT NULL,
    name text NOT NULL,
    url text NOT NULL,
    events text[] NOT NULL,
    enabled boolean DEFAULT true NOT NULL,
    secret bytea NOT NULL,
    created_at timestamp with time zone DEFAULT now() NOT NULL,
    trigger_id uuid,
    chat_id uuid,
    turn integer,
    CONSTRAINT webhooks_of_a_turn CHECK (((chat_id IS NULL) = (turn IS NULL)))
);

CREATE TABLE public.workspace_contexts (
    chat_id uuid NOT NULL,
    workspace_id uuid NOT NULL,
    hash text NOT NULL,
    snapshot text NOT NULL,
    turns integer NOT NULL,
    pinned_at timestamp with time zone DEFAULT now() NOT NULL
);

CREATE TABLE public.workspaces (
    id uuid NOT NULL,
    organisation_id uuid NOT NULL,
    owner_id uuid NOT NULL,
    driver text NOT NULL,
    template text NOT NULL,
    parameters text DEFAULT '{}'::text NOT NULL,
    status text DEFAULT 'creating'::text NOT NULL,
    error text,
    created_at timestamp with time zone DEFAULT now() NOT NULL,
    used_at timestamp with time zone DEFAULT now() NOT NULL,
    plan text,
    ttl_minutes integer DEFAULT 120 NOT NULL,
    name text DEFAULT ''::text NOT NULL,
    CONSTRAINT workspaces_status_check CHECK ((status = ANY (ARRAY['creating'::text, 'running'::text, 'stopped'::text, 'failed'::text])))
);

ALTER TABLE ONLY public.audit
    ADD CONSTRAINT audit_pkey PRIMARY KEY (id);

ALTER TABLE ONLY public.background_responses
    ADD CONSTRAINT background_responses_pkey PRIMARY KEY (chat_id);

ALTER TABLE ONLY public.budget_slices
    ADD CONSTRAINT budget_slices_pkey PRIMARY KEY (payer, month, replica_id);

ALTER TABLE ONLY public.budgets
    ADD CONSTRAINT budgets_pkey PRIMARY KEY (payer, month);

ALTER TABLE ONLY public.channel_codes
    ADD CONSTRAINT channel_codes_pkey PRIMARY KEY (hash);

ALTER TABLE ONLY public.channel_people
    ADD CONSTRAINT channel_people_pkey PRIMARY KEY (organisation_id, channel, external);

ALTER TABLE ONLY public.chat_cards
    ADD CONSTRAINT chat_cards_pkey PRIMARY KEY (id);

ALTER TABLE ONLY public.chat_links
    ADD CONSTRAINT chat_links_chat_id_key UNIQUE (chat_id);

ALTER TABLE ONLY public.chat_links
    ADD CONSTRAINT chat_links_pkey PRIMARY KEY (id);

ALTER TABLE ONLY public.chats
    ADD CONSTRAINT chats_pkey PRIMARY KEY (id);

ALTER TABLE ONLY public.debug_runs
    ADD CONSTRAINT debug_runs_pkey PRIMARY KEY (id);

ALTER TABLE ONLY public.departures
    ADD CONSTRAINT departures_pkey PRIMARY KEY (user_id, chat_id);

ALTER TABLE ONLY public.deployment_secrets
    ADD CONSTRAINT deployment_secrets_pkey PRIMARY KEY (name);

ALTER TABLE ONLY public.face_notes
    ADD CONSTRAINT face_notes_pkey PRIMARY KEY (chat_id, number);

ALTER TABLE ONLY public.file_links
    ADD CONSTRAINT file_links_pkey PRIMARY KEY (chat_id, file_id);

ALTER TABLE ONLY public.files
    ADD CONSTRAINT files_pkey PRIMARY KEY (id);

ALTER TABLE ONLY public.group_members
    ADD CONSTRAINT group_members_pkey PRIMARY KEY (group_id, user_id);

ALTER TABLE ONLY public.groups
    ADD CONSTRAINT groups_pkey PRIMARY KEY (id);

ALTER TABLE ONLY public.hook_deliveries
    ADD CONSTRAINT hook_deliveries_pkey PRIMARY KEY (id);

ALTER TABLE ONLY public.hooks
    ADD CONSTRAINT hooks_pkey PRIMARY KEY (id);

ALTER TABLE ONLY public.idempotency_keys
    ADD CONSTRAINT idempotency_keys_pkey PRIMARY KEY (caller, route, key);

ALTER TABLE ONLY public.identities
    ADD CONSTRAINT identities_pkey PRIMARY KEY (service, subject);

ALTER TABLE ONLY public.imports
    ADD CONSTRAINT imports_pkey PRIMARY KEY (owner_id, source, source_id);

ALTER TABLE ONLY public.inbox
    ADD CONSTRAINT inbox_pkey PRIMARY KEY (id);

ALTER TABLE ONLY public.journal
    ADD CONSTRAINT journal_pkey PRIMARY KEY (chat_id, message, index, run);

ALTER TABLE ONLY public.kept_files
    ADD CONSTRAINT kept_files_pkey PRIMARY KEY (workspace_id, chat_id);

ALTER TABLE ONLY public.login_links
    ADD CONSTRAINT login_links_pkey PRIMARY KEY (hash);

ALTER TABLE ONLY public.login_services
    ADD CONSTRAINT login_services_pkey PRIMARY KEY (id);

ALTER TABLE ONLY public.login_services
    ADD CONSTRAINT login_services_slug_key UNIQUE (slug);

ALTER TABLE ONLY public.mcp_grants
    ADD CONSTRAINT mcp_grants_pkey PRIMARY KEY (server_id, user_id);

ALTER TABLE ONLY public.mcp_servers
    ADD CONSTRAINT mcp_servers_organisation_id_slug_key UNIQUE (organisation_id, slug);

ALTER TABLE ONLY public.mcp_servers
    ADD CONSTRAINT mcp_servers_pkey PRIMARY KEY (id);

ALTER TABLE ONLY public.mcp_sign_ins
    ADD CONSTRAINT mcp_sign_ins_pkey PRIMARY KEY (hash);

ALTER TABLE ONLY public.memories
    ADD CONSTRAINT memories_pkey PRIMARY KEY (id);

ALTER TABLE ONLY public.messages
    ADD CONSTRAINT messages_pkey PRIMARY KEY (chat_id, number);

ALTER TABLE ONLY public.model_settings
    ADD CONSTRAINT model_settings_pkey PRIMARY KEY (organisation_id, name);

ALTER TABLE ONLY public.network_rules
    ADD CONSTRAINT network_rules_pkey PRIMARY KEY (id);

ALTER TABLE ONLY public.network_secrets
    ADD CONSTRAINT network_secrets_pkey PRIMARY KEY (organisation_id, name);

ALTER TABLE ONLY public.network_use
    ADD CONSTRAINT network_use_pkey PRIMARY KEY (workspace_id);

ALTER TABLE ONLY public.objects
    ADD CONSTRAINT objects_pkey PRIMARY KEY (id);

ALTER TABLE ONLY public.organisations
    ADD CONSTRAINT organisations_pkey PRIMARY KEY (id);

ALTER TABLE ONLY public.outbox
    ADD CONSTRAINT outbox_pkey PRIMARY KEY (id);

ALTER TABLE ONLY public.own_network_secrets
    ADD CONSTRAINT own_network_secrets_pkey PRIMARY KEY (user_id, name);

ALTER TABLE ONLY public.provider_keys
    ADD CONSTRAINT provider_keys_pkey PRIMARY KEY (id);

ALTER TABLE ONLY public.providers
    ADD CONSTRAINT providers_pkey PRIMARY KEY (id);

ALTER TABLE ONLY public.push_subscriptions
    ADD CONSTRAINT push_subscriptions_pkey PRIMARY KEY (id);

ALTER TABLE ONLY public.push_subscriptions
    ADD CONSTRAINT push_subscriptions_user_id_endpoint_key UNIQUE (user_id, endpoint);

ALTER TABLE ONLY public.queued_messages
    ADD CONSTRAINT queued_messages_pkey PRIMARY KEY (chat_id, number);

ALTER TABLE ONLY public.read_markers
    ADD CONSTRAINT read_markers_pkey PRIMARY KEY (user_id, chat_id);

ALTER TABLE ONLY public.replicas
    ADD CONSTRAINT replicas_pkey PRIMARY KEY (id);

ALTER TABLE ONLY public.schedule_runs
    ADD CONSTRAINT schedule_runs_pkey PRIMARY KEY (id);

ALTER TABLE ONLY public.schedule_runs
    ADD CONSTRAINT schedule_runs_schedule_id_due_at_key UNIQUE (schedule_id, due_at);

ALTER TABLE ONLY public.schedules
    ADD CONSTRAINT schedules_pkey PRIMARY KEY (id);

ALTER TABLE ONLY public.search_documents
    ADD CONSTRAINT search_documents_pkey PRIMARY KEY (chat_id, number);

ALTER TABLE ONLY public.search_progress
    ADD CONSTRAINT search_progress_pkey PRIMARY KEY (chat_id);

ALTER TABLE ONLY public.segments
    ADD CONSTRAINT segments_pkey PRIMARY KEY (chat_id, history_version, attempt, seq_from);

ALTER TABLE ONLY public.sessions
    ADD CONSTRAINT sessions_hash_key UNIQUE (hash);

ALTER TABLE ONLY public.sessions
    ADD CONSTRAINT sessions_pkey PRIMARY KEY (id);

ALTER TABLE ONLY public.settings
    ADD CONSTRAINT settings_pkey PRIMARY KEY (organisation_id, name);

ALTER TABLE ONLY public.settled
    ADD CONSTRAINT settled_pkey PRIMARY KEY (replica_id);

ALTER TABLE ONLY public.skills
    ADD CONSTRAINT skills_pkey PRIMARY KEY (user_id, name);

ALTER TABLE ONLY public.templates
    ADD CONSTRAINT templates_pkey PRIMARY KEY (organisation_id, name);

ALTER TABLE ONLY public.tokens
    ADD CONSTRAINT tokens_hash_key UNIQUE (hash);

ALTER TABLE ONLY public.tokens
    ADD CONSTRAINT tokens_pkey PRIMARY KEY (id);

ALTER TABLE ONLY public.trigger_deliveries
    ADD CONSTRAINT trigger_deliveries_pkey PRIMARY KEY (id);

ALTER TABLE ONLY public.trigger_deliveries
    ADD CONSTRAINT trigger_deliveries_trigger_id_name_key UNIQUE (trigger_id, name);

ALTER TABLE ONLY public.trigger_threads
    ADD CONSTRAINT trigger_threads_chat_id_key UNIQUE (chat_id);

ALTER TABLE ONLY public.trigger_threads
    ADD CONSTRAINT trigger_threads_pkey PRIMARY KEY (trigger_id, thread);

ALTER TABLE ONLY public.triggers
    ADD CONSTRAINT triggers_pkey PRIMARY KEY (id);

ALTER TABLE ONLY public.turn_traces
    ADD CONSTRAINT turn_traces_pkey PRIMARY KEY (chat_id, turn);

ALTER TABLE ONLY public.user_settings
    ADD CONSTRAINT user_settings_pkey PRIMARY KEY (user_id, name);

ALTER TABLE ONLY public.users
    ADD CONSTRAINT users_pkey PRIMARY KEY (id);

ALTER TABLE ONLY public.warm_workspaces
    ADD CONSTRAINT warm_workspaces_pkey PRIMARY KEY (id);

ALTER TABLE ONLY public.webhooks
    ADD CONSTRAINT webhooks_pkey PRIMARY KEY (id);

ALTER TABLE ONLY public.webhooks
    ADD CONSTRAINT webhooks_trigger_id_key UNIQUE (trigger_id);

ALTER TABLE ONLY public.workspace_contexts
    ADD CONSTRAINT workspace_contexts_pkey PRIMARY KEY (chat_id);

ALTER TABLE ONLY public.workspaces
    ADD CONSTRAINT workspaces_pkey PRIMARY KEY (id);

CREATE INDEX audit_newest ON public.audit USING btree (organisation_id, id DESC);

CREATE INDEX channel_people_of_user ON public.channel_people USING btree (user_id);

CREATE INDEX chat_cards_beginnings ON public.chat_cards USING btree (owner_id, ((labels ->> 'openai'::text))) WHERE (labels ? 'openai'::text);

CREATE INDEX chat_cards_children ON public.chat_cards USING btree (parent_id) WHERE (parent_id IS NOT NULL);

CREATE INDEX chat_cards_family ON public.chat_cards USING btree (root_id) WHERE (root_id IS NOT NULL);

CREATE INDEX chat_cards_of_workspace ON public.chat_cards USING btree (workspace_id) WHERE (workspace_id IS NOT NULL);

CREATE INDEX chat_cards_watched ON public.chat_cards USING btree (owner_id);

CREATE INDEX chat_shares_by_group ON public.chat_shares USING btree (group_id) WHERE (group_id IS NOT NULL);

CREATE INDEX chat_shares_by_user ON public.chat_shares USING btree (user_id) WHERE (user_id IS NOT NULL);

CREATE UNIQUE INDEX chat_shares_groups ON public.chat_shares USING btree (chat_id, group_id) WHERE (group_id IS NOT NULL);

CREATE INDEX chat_shares_of_link ON public.chat_shares USING btree (link_id) WHERE (link_id IS NOT NULL);

CREATE UNIQUE INDEX chat_shares_users ON public.chat_shares USING btree (chat_id, user_id) WHERE (user_id IS NOT NULL);

CREATE INDEX chats_due ON public.chats USING btree (action_deadline_at) WHERE (action_deadline_at IS NOT NULL);

CREATE INDEX chats_parents ON public.chats USING btree (id) WHERE (((status)::text = 'requires_action'::text) AND (action ~~ '{"kind":"children"%'::text));

CREATE INDEX chats_runnable ON public.chats USING btree (worker_id) WHERE ((status)::text = ANY (ARRAY['running'::text, 'interrupting'::text]));

CREATE INDEX chats_unpaid ON public.chats USING btree (id) WHERE (((status)::text = 'requires_action'::text) AND (action ~~ '{"kind":"budget"%'::text));

CREATE INDEX debug_runs_by_chat ON public.debug_runs USING btree (chat_id, id);

CREATE INDEX debug_runs_by_expiry ON public.debug_runs USING btree (expires_at);

CREATE INDEX departures_age ON public.departures USING btree (at);

CREATE INDEX face_notes_owner ON public.face_notes USING btree (owner_id);

CREATE INDEX file_links_by_file ON public.file_links USING btree (file_id);

CREATE INDEX files_by_object ON public.files USING btree (object_id) WHERE (object_id IS NOT NULL);

CREATE INDEX files_in_rows ON public.files USING btree (size) WHERE (object_id IS NULL);

CREATE INDEX group_members_by_user ON public.group_members USING btree (user_id);

CREATE UNIQUE INDEX groups_name ON public.groups USING btree (organisation_id, lower(name));

CREATE INDEX hook_deliveries_by_age ON public.hook_deliveries USING btree (created_at);

CREATE INDEX hook_deliveries_newest ON public.hook_deliveries USING btree (hook_id, id DESC);

CREATE INDEX hooks_by_organisation ON public.hooks USING btree (organisation_id, created_at);

CREATE INDEX idempotency_keys_age ON public.idempotency_keys USING btree (created_at);

CREATE INDEX identities_by_user ON public.identities USING btree (user_id);

CREATE INDEX imports_of_chat ON public.imports USING btree (chat_id) WHERE (chat_id IS NOT NULL);

CREATE INDEX inbox_by_user ON public.inbox USING btree (user_id);

CREATE UNIQUE INDEX inbox_once ON public.inbox USING btree (user_id, chat_id, kind);

CREATE INDEX inbox_unread ON public.inbox USING btree (user_id) WHERE (read_at IS NULL);

CREATE INDEX login_services_of_organisation ON public.login_services USING btree (organisation_id, created_at);

CREATE INDEX mcp_grants_by_user ON public.mcp_grants USING btree (user_id);

CREATE INDEX mcp_sign_ins_by_server ON public.mcp_sign_ins USING btree (server_id);

CREATE INDEX mcp_sign_ins_by_user ON public.mcp_sign_ins USING btree (user_id);

CREATE INDEX memories_document ON public.memories USING gin (document);

CREATE INDEX memories_of_chat ON public.memories USING btree (chat_id) WHERE (chat_id IS NOT NULL);

CREATE UNIQUE INDEX memories_of_organisation ON public.memories USING btree (organisation_id, label, md5(text)) WHERE (owner_id IS NULL);

CREATE UNIQUE INDEX memories_of_person ON public.memories USING btree (owner_id, label, md5(text)) WHERE (owner_id IS NOT NULL);

CREATE INDEX messages_boundaries ON public.messages USING btree (chat_id, number) WHERE (kind = 'boundary'::text);

CREATE INDEX messages_by_revision ON public.messages USING btree (chat_id, revision, number);

CREATE INDEX messages_by_time ON public.messages USING brin (created_at);

CREATE INDEX model_settings_by_provider ON public.model_settings USING btree (provider_id);

CREATE UNIQUE INDEX model_settings_default ON public.model_settings USING btree (organisation_id) WHERE chosen;

CREATE INDEX network_rules_of_chat ON public.network_rules USING btree (chat_id) WHERE (chat_id IS NOT NULL);

CREATE INDEX network_rules_of_organisation ON public.network_rules USING btree (organisation_id) WHERE (chat_id IS NULL);

CREATE UNIQUE INDEX objects_by_content ON public.objects USING btree (organisation_id, hash) WHERE (state <> 'removing'::text);

CREATE INDEX objects_to_remove ON public.objects USING btree (state, since) WHERE (state = ANY (ARRAY['unused'::text, 'removing'::text]));

CREATE INDEX outbox_of_webhook ON public.outbox USING btree (webhook_id, id);

CREATE INDEX outbox_pending ON public.outbox USING btree (webhook_id, chat_id, id) WHERE (state = 'pending'::text);

CREATE INDEX outbox_settled ON public.outbox USING btree (settled_at) WHERE (settled_at IS NOT NULL);

CREATE UNIQUE INDEX provider_keys_deployment ON public.provider_keys USING btree (provider_id) WHERE (user_id IS NULL);

CREATE UNIQUE INDEX provider_keys_personal ON public.provider_keys USING btree (provider_id, user_id) WHERE (user_id IS NOT NULL);

CREATE UNIQUE INDEX providers_name ON public.providers USING btree (organisation_id, lower(name));

CREATE INDEX push_subscriptions_by_endpoint ON public.push_subscriptions USING btree (endpoint);

CREATE INDEX read_markers_by_chat ON public.read_markers USING btree (chat_id);

CREATE INDEX schedule_runs_begun ON public.schedule_runs USING btree (id) WHERE (state = 'begun'::text);

CREATE INDEX schedule_runs_due ON public.schedule_runs USING btree (due_at) WHERE (state = 'due'::text);

CREATE INDEX schedule_runs_first ON public.schedule_runs USING btree (schedule_id, id) WHERE (state = 'due'::text);

CREATE INDEX schedules_due ON public.schedules USING btree (next_at) WHERE (next_at IS NOT NULL);

CREATE INDEX schedules_of_owner ON public.schedules USING btree (owner_id, created_at);

CREATE INDEX search_documents_words ON public.search_documents USING gin (document);

CREATE INDEX sessions_by_user ON public.sessions USING btree (user_id);

CREATE INDEX sessions_expired ON public.sessions USING btree (expires_at);

CREATE INDEX tokens_by_user ON public.tokens USING btree (user_id, created_at);

CREATE INDEX trigger_deliveries_due ON public.trigger_deliveries USING btree (trigger_id, thread, id) WHERE (state = 'due'::text);

CREATE INDEX trigger_deliveries_ended ON public.trigger_deliveries USING btree (ended_at) WHERE (ended_at IS NOT NULL);

CREATE INDEX trigger_deliveries_of_trigger ON public.trigger_deliveries USING btree (trigger_id, id);

CREATE INDEX triggers_of_owner ON public.triggers USING btree (owner_id, created_at);

CREATE INDEX turn_traces_by_age ON public.turn_traces USING btree (began_at);

CREATE UNIQUE INDEX users_email ON public.users USING btree (lower(email));

CREATE INDEX users_of_organisation ON public.users USING btree (organisation_id, created_at, id);

CREATE UNIQUE INDEX warm_workspaces_place ON public.warm_workspaces USING btree (organisation_id, template, version, place) WHERE (status <> 'leaving'::text);

CREATE INDEX webhooks_of_owner ON public.webhooks USING btree (owner_id);

CREATE UNIQUE INDEX webhooks_of_turn ON public.webhooks USING btree (chat_id, turn, owner_id, name) WHERE (chat_id IS NOT NULL);

CREATE INDEX workspace_contexts_of_workspace ON public.workspace_contexts USING btree (workspace_id);

CREATE INDEX workspaces_idle ON public.workspaces USING btree (used_at) WHERE (status = 'running'::text);

CREATE INDEX workspaces_of_owner ON public.workspaces USING btree (owner_id, created_at DESC);

CREATE TRIGGER chat_cards_changed BEFORE UPDATE OF title, title_source, labels, model, effort, plan_mode, pin, workspace_id, client_tools, client_tool_deadline, settings, turn_label, summary, diff, context_dirty ON public.chat_cards FOR EACH ROW EXECUTE FUNCTION public.stamp_card();

CREATE TRIGGER chat_cards_gone AFTER DELETE ON public.chat_cards FOR EACH ROW EXECUTE FUNCTION public.card_gone();

CREATE TRIGGER chat_shares_gone AFTER DELETE ON public.chat_shares FOR EACH ROW EXECUTE FUNCTION public.share_gone();

CREATE TRIGGER chats_forgotten AFTER DELETE ON public.chats REFERENCING OLD TABLE AS forgotten FOR EACH STATEMENT EXECUTE FUNCTION public.forget_chats();

CREATE TRIGGER group_members_gone AFTER DELETE ON public.group_members FOR EACH ROW EXECUTE FUNCTION public.member_gone();

CREATE TRIGGER keep_line BEFORE INSERT OR UPDATE OF snapshot_version ON public.chats FOR EACH ROW EXECUTE FUNCTION public.keep_line();

CREATE TRIGGER read_markers_changed BEFORE UPDATE ON public.read_markers FOR EACH ROW EXECUTE FUNCTION public.stamp_marker();

CREATE TRIGGER users_forgotten AFTER DELETE ON public.users REFERENCING OLD TABLE AS forgotten FOR EACH STATEMENT EXECUTE FUNCTION public.forget_users();

ALTER TABLE ONLY public.audit
    ADD CONSTRAINT audit_actor_id_fkey FOREIGN KEY (actor_id) REFERENCES public.users(id) ON DELETE SET NULL;

ALTER TABLE ONLY public.audit
    ADD CONSTRAINT audit_organisation_id_fkey FOREIGN KEY (organisation_id) REFERENCES public.organisations(id);

ALTER TABLE ONLY public.background_responses
    ADD CONSTRAINT background_responses_chat_id_fkey FOREIGN KEY (chat_id) REFERENCES public.chats(id) ON DELETE CASCADE;

ALTER TABLE ONLY public.channel_codes
    ADD CONSTRAINT channel_codes_user_id_fkey FOREIGN KEY (user_id) REFERENCES public.users(id) ON DELETE CASCADE;

ALTER TABLE ONLY public.channel_people
    ADD CONSTRAINT channel_people_organisation_id_fkey FOREIGN KEY (organisation_id) REFERENCES public.organisations(id) ON DELETE CASCADE;

ALTER TABLE ONLY public.channel_people
    ADD CONSTRAINT channel_people_user_id_fkey FOREIGN KEY (user_id) REFERENCES public.users(id) ON DELETE CASCADE;

ALTER TABLE ONLY public.chat_cards
    ADD CONSTRAINT chat_cards_id_fkey FOREIGN KEY (id) REFERENCES public.chats(id) ON DELETE CASCADE;

ALTER TABLE ONLY public.chat_cards
    ADD CONSTRAINT chat_cards_organisation_id_fkey FOREIGN KEY (organisation_id) REFERENCES public.organisations(id);

ALTER TABLE ONLY public.chat_cards
    ADD CONSTRAINT chat_cards_owner_id_fkey FOREIGN KEY (owner_id) REFERENCES public.users(id);

ALTER TABLE ONLY public.chat_cards
    ADD CONSTRAINT chat_cards_parent_id_fkey FOREIGN KEY (parent_id) REFERENCES public.chats(id) ON DELETE CASCADE;

ALTER TABLE ONLY public.chat_cards
    ADD CONSTRAINT chat_cards_root_id_fkey FOREIGN KEY (root_id) REFERENCES public.chats(id) ON DELETE CASCADE;

ALTER TABLE ONLY public.chat_links
    ADD CONSTRAINT chat_links_chat_id_fkey FOREIGN KEY (chat_id) REFERENCES public.chat_cards(id) ON DELETE CASCADE;

ALTER TABLE ONLY public.chat_shares
    ADD CONSTRAINT chat_shares_chat_id_fkey FOREIGN KEY (chat_id) REFERENCES public.chats(id) ON DELETE CASCADE;

ALTER TABLE ONLY public.chat_shares
    ADD CONSTRAINT chat_shares_group_id_fkey FOREIGN KEY (group_id) REFERENCES public.groups(id) ON DELETE CASCADE;

ALTER TABLE ONLY public.chat_shares
    ADD CONSTRAINT chat_shares_link_id_fkey FOREIGN KEY (link_id) REFERENCES public.chat_links(id) ON DELETE CASCADE;

ALTER TABLE ONLY public.chat_shares
    ADD CONSTRAINT chat_shares_user_id_fkey FOREIGN KEY (user_id) REFERENCES public.users(id) ON DELETE CASCADE;

ALTER TABLE ONLY public.debug_runs
    ADD CONSTRAINT debug_runs_chat_id_fkey FOREIGN KEY (chat_id) REFERENCES public.chats(id) ON DELETE CASCADE;

ALTER TABLE ONLY public.face_notes
    ADD CONSTRAINT face_notes_owner_id_fkey FOREIGN KEY (owner_id) REFERENCES public.users(id) ON DELETE CASCADE;

ALTER TABLE ONLY public.file_links
    ADD CONSTRAINT file_links_chat_id_fkey FOREIGN KEY (chat_id) REFERENCES public.chats(id) ON DELETE CASCADE;

ALTER TABLE ONLY public.file_links
    ADD CONSTRAINT file_links_file_id_fkey FOREIGN KEY (file_id) REFERENCES public.files(id);

ALTER TABLE ONLY public.files
    ADD CONSTRAINT files_object_id_fkey FOREIGN KEY (object_id) REFERENCES public.objects(id);

ALTER TABLE ONLY public.files
    ADD CONSTRAINT files_organisation_id_fkey FOREIGN KEY (organisation_id) REFERENCES public.organisations(id);

ALTER TABLE ONLY public.files
    ADD CONSTRAINT files_owner_id_fkey FOREIGN KEY (owner_id) REFERENCES public.users(id);

ALTER TABLE ONLY public.group_members
    ADD CONSTRAINT group_members_group_id_fkey FOREIGN KEY (group_id) REFERENCES public.groups(id) ON DELETE CASCADE;

ALTER TABLE ONLY public.group_members
    ADD CONSTRAINT group_members_user_id_fkey FOREIGN KEY (user_id) REFERENCES public.users(id) ON DELETE CASCADE;

ALTER TABLE ONLY public.groups
    ADD CONSTRAINT groups_organisation_id_fkey FOREIGN KEY (organisation_id) REFERENCES public.organisations(id);

ALTER TABLE ONLY public.hook_deliveries
    ADD CONSTRAINT hook_deliveries_hook_id_fkey FOREIGN KEY (hook_id) REFERENCES public.hooks(id) ON DELETE CASCADE;

ALTER TABLE ONLY public.hooks
    ADD CONSTRAINT hooks_organisation_id_fkey FOREIGN KEY (organisation_id) REFERENCES public.organisations(id);

ALTER TABLE ONLY public.identities
    ADD CONSTRAINT identities_user_id_fkey FOREIGN KEY (user_id) REFERENCES public.users(id) ON DELETE CASCADE;

ALTER TABLE ONLY public.imports
    ADD CONSTRAINT imports_chat_id_fkey FOREIGN KEY (chat_id) REFERENCES public.chat_cards(id) ON DELETE SET NULL;

ALTER TABLE ONLY public.imports
    ADD CONSTRAINT imports_owner_id_fkey FOREIGN KEY (owner_id) REFERENCES public.users(id) ON DELETE CASCADE;

ALTER TABLE ONLY public.journal
    ADD CONSTRAINT journal_chat_id_fkey FOREIGN KEY (chat_id) REFERENCES public.chats(id) ON DELETE CASCADE;

ALTER TABLE ONLY public.kept_files
    ADD CONSTRAINT kept_files_workspace_id_fkey FOREIGN KEY (workspace_id) REFERENCES public.workspaces(id) ON DELETE CASCADE;

ALTER TABLE ONLY public.login_links
    ADD CONSTRAINT login_links_user_id_fkey FOREIGN KEY (user_id) REFERENCES public.users(id) ON DELETE CASCADE;

ALTER TABLE ONLY public.login_services
    ADD CONSTRAINT login_services_organisation_id_fkey FOREIGN KEY (organisation_id) REFERENCES public.organisations(id);

ALTER TABLE ONLY public.mcp_grants
    ADD CONSTRAINT mcp_grants_server_id_fkey FOREIGN KEY (server_id) REFERENCES public.mcp_servers(id) ON DELETE CASCADE;

ALTER TABLE ONLY public.mcp_grants
    ADD CONSTRAINT mcp_grants_user_id_fkey FOREIGN KEY (user_id) REFERENCES public.users(id) ON DELETE CASCADE;

ALTER TABLE ONLY public.mcp_servers
    ADD CONSTRAINT mcp_servers_organisation_id_fkey FOREIGN KEY (organisation_id) REFERENCES public.organisations(id);

ALTER TABLE ONLY public.mcp_sign_ins
    ADD CONSTRAINT mcp_sign_ins_server_id_fkey FOREIGN KEY (server_id) REFERENCES public.mcp_servers(id) ON DELETE CASCADE;

ALTER TABLE ONLY public.mcp_sign_ins
    ADD CONSTRAINT mcp_sign_ins_user_id_fkey FOREIGN KEY (user_id) REFERENCES public.users(id) ON DELETE CASCADE;

ALTER TABLE ONLY public.memories
    ADD CONSTRAINT memories_chat_id_fkey FOREIGN KEY (chat_id) REFERENCES public.chat_cards(id) ON DELETE SET NULL;

ALTER TABLE ONLY public.memories
    ADD CONSTRAINT memories_organisation_id_fkey FOREIGN KEY (organisation_id) REFERENCES public.organisations(id) ON DELETE CASCADE;

ALTER TABLE ONLY public.memories
    ADD CONSTRAINT memories_owner_id_fkey FOREIGN KEY (owner_id) REFERENCES public.users(id) ON DELETE CASCADE;

ALTER TABLE ONLY public.memories
    ADD CONSTRAINT memories_written_by_fkey FOREIGN KEY (written_by) REFERENCES public.users(id) ON DELETE SET NULL;

ALTER TABLE ONLY public.model_settings
    ADD CONSTRAINT model_settings_organisation_id_fkey FOREIGN KEY (organisation_id) REFERENCES public.organisations(id);

ALTER TABLE ONLY public.model_settings
    ADD CONSTRAINT model_settings_provider_id_fkey FOREIGN KEY (provider_id) REFERENCES public.providers(id) ON DELETE CASCADE;

ALTER TABLE ONLY public.network_rules
    ADD CONSTRAINT network_rules_chat_id_fkey FOREIGN KEY (chat_id) REFERENCES public.chats(id) ON DELETE CASCADE;

ALTER TABLE ONLY public.network_rules
    ADD CONSTRAINT network_rules_created_by_fkey FOREIGN KEY (created_by) REFERENCES public.users(id) ON DELETE SET NULL;

ALTER TABLE ONLY public.network_rules
    ADD CONSTRAINT network_rules_organisation_id_fkey FOREIGN KEY (organisation_id) REFERENCES public.organisations(id);

ALTER TABLE ONLY public.network_secrets
    ADD CONSTRAINT network_secrets_organisation_id_fkey FOREIGN KEY (organisation_id) REFERENCES public.organisations(id);

ALTER TABLE ONLY public.network_use
    ADD CONSTRAINT network_use_workspace_id_fkey FOREIGN KEY (workspace_id) REFERENCES public.workspaces(id) ON DELETE CASCADE;

ALTER TABLE ONLY public.objects
    ADD CONSTRAINT objects_organisation_id_fkey FOREIGN KEY (organisation_id) REFERENCES public.organisations(id);

ALTER TABLE ONLY public.outbox
    ADD CONSTRAINT outbox_webhook_id_fkey FOREIGN KEY (webhook_id) REFERENCES public.webhooks(id) ON DELETE CASCADE;

ALTER TABLE ONLY public.own_network_secrets
    ADD CONSTRAINT own_network_secrets_organisation_id_fkey FOREIGN KEY (organisation_id) REFERENCES public.organisations(id);

ALTER TABLE ONLY public.own_network_secrets
    ADD CONSTRAINT own_network_secrets_user_id_fkey FOREIGN KEY (user_id) REFERENCES public.users(id) ON DELETE CASCADE;

ALTER TABLE ONLY public.provider_keys
    ADD CONSTRAINT provider_keys_provider_id_fkey FOREIGN KEY (provider_id) REFERENCES public.providers(id) ON DELETE CASCADE;

ALTER TABLE ONLY public.provider_keys
    ADD CONSTRAINT provider_keys_user_id_fkey FOREIGN KEY (user_id) REFERENCES public.users(id) ON DELETE CASCADE;

ALTER TABLE ONLY public.providers
    ADD CONSTRAINT providers_organisation_id_fkey FOREIGN KEY (organisation_id) REFERENCES public.organisations(id);

ALTER TABLE ONLY public.push_subscriptions
    ADD CONSTRAINT push_subscriptions_user_id_fkey FOREIGN KEY (user_id) REFERENCES public.users(id) ON DELETE CASCADE;

ALTER TABLE ONLY public.read_markers
    ADD CONSTRAINT read_markers_chat_id_fkey FOREIGN KEY (chat_id) REFERENCES public.chats(id) ON DELETE CASCADE;

ALTER TABLE ONLY public.read_markers
    ADD CONSTRAINT read_markers_user_id_fkey FOREIGN KEY (user_id) REFERENCES public.users(id) ON DELETE CASCADE;

ALTER TABLE ONLY public.schedule_runs
    ADD CONSTRAINT schedule_runs_schedule_id_fkey FOREIGN KEY (schedule_id) REFERENCES public.schedules(id) ON DELETE CASCADE;

ALTER TABLE ONLY public.schedules
    ADD CONSTRAINT schedules_organisation_id_fkey FOREIGN KEY (organisation_id) REFERENCES public.organisations(id) ON DELETE CASCADE;

ALTER TABLE ONLY public.schedules
    ADD CONSTRAINT schedules_owner_id_fkey FOREIGN KEY (owner_id) REFERENCES public.users(id) ON DELETE CASCADE;

ALTER TABLE ONLY public.search_documents
    ADD CONSTRAINT search_documents_chat_id_fkey FOREIGN KEY (chat_id) REFERENCES public.chats(id) ON DELETE CASCADE;

ALTER TABLE ONLY public.search_progress
    ADD CONSTRAINT search_progress_chat_id_fkey FOREIGN KEY (chat_id) REFERENCES public.chats(id) ON DELETE CASCADE;

ALTER TABLE ONLY public.sessions
    ADD CONSTRAINT sessions_user_id_fkey FOREIGN KEY (user_id) REFERENCES public.users(id) ON DELETE CASCADE;

ALTER TABLE ONLY public.settings
    ADD CONSTRAINT settings_organisation_id_fkey FOREIGN KEY (organisation_id) REFERENCES public.organisations(id);

ALTER TABLE ONLY public.skills
    ADD CONSTRAINT skills_user_id_fkey FOREIGN KEY (user_id) REFERENCES public.users(id) ON DELETE CASCADE;

ALTER TABLE ONLY public.templates
    ADD CONSTRAINT templates_organisation_id_fkey FOREIGN KEY (organisation_id) REFERENCES public.organisations(id);

ALTER TABLE ONLY public.tokens
    ADD CONSTRAINT tokens_user_id_fkey FOREIGN KEY (user_id) REFERENCES public.users(id) ON DELETE CASCADE;

ALTER TABLE ONLY public.trigger_deliveries
    ADD CONSTRAINT trigger_deliveries_trigger_id_fkey FOREIGN KEY (trigger_id) REFERENCES public.triggers(id) ON DELETE CASCADE;

ALTER TABLE ONLY public.trigger_threads
    ADD CONSTRAINT trigger_threads_trigger_id_fkey FOREIGN KEY (trigger_id) REFERENCES public.triggers(id) ON DELETE CASCADE;

ALTER TABLE ONLY public.triggers
    ADD CONSTRAINT triggers_organisation_id_fkey FOREIGN KEY (organisation_id) REFERENCES public.organisations(id) ON DELETE CASCADE;

ALTER TABLE ONLY public.triggers
    ADD CONSTRAINT triggers_owner_id_fkey FOREIGN KEY (owner_id) REFERENCES public.users(id) ON DELETE CASCADE;

ALTER TABLE ONLY public.user_settings
    ADD CONSTRAINT user_settings_user_id_fkey FOREIGN KEY (user_id) REFERENCES public.users(id) ON DELETE CASCADE;

ALTER TABLE ONLY public.users
    ADD CONSTRAINT users_organisation_id_fkey FOREIGN KEY (organisation_id) REFERENCES public.organisations(id);

ALTER TABLE ONLY public.warm_workspaces
    ADD CONSTRAINT warm_workspaces_organisation_id_fkey FOREIGN KEY (organisation_id) REFERENCES public.organisations(id);

ALTER TABLE ONLY public.webhooks
    ADD CONSTRAINT webhooks_chat_id_fkey FOREIGN KEY (chat_id) REFERENCES public.chats(id) ON DELETE CASCADE;

ALTER TABLE ONLY public.webhooks
    ADD CONSTRAINT webhooks_organisation_id_fkey FOREIGN KEY (organisation_id) REFERENCES public.organisations(id) ON DELETE CASCADE;

ALTER TABLE ONLY public.webhooks
    ADD CONSTRAINT webhooks_owner_id_fkey FOREIGN KEY (owner_id) REFERENCES public.users(id) ON DELETE CASCADE;

ALTER TABLE ONLY public.webhooks
    ADD CONSTRAINT webhooks_trigger_id_fkey FOREIGN KEY (trigger_id) REFERENCES public.triggers(id) ON DELETE CASCADE;

ALTER TABLE ONLY public.workspace_contexts
    ADD CONSTRAINT workspace_contexts_chat_id_fkey FOREIGN KEY (chat_id) REFERENCES public.chat_cards(id) ON DELETE CASCADE;

ALTER TABLE ONLY public.workspace_contexts
    ADD CONSTRAINT workspace_contexts_workspace_id_fkey FOREIGN KEY (workspace_id) REFERENCES public.workspaces(id) ON DELETE CASCADE;

ALTER TABLE ONLY public.workspaces
    ADD CONSTRAINT workspaces_organisation_id_fkey FOREIGN KEY (organisation_id) REFERENCES public.organisations(id);

ALTER TABLE ONLY public.workspaces
    ADD CONSTRAINT workspaces_owner_id_fkey FOREIGN KEY (owner_id) REFERENCES public.users(id);
