"""Every duration of the system, in one place. What depends on another is computed from it."""

from datetime import timedelta

LEASE = timedelta(seconds=3)
RENEWAL_PERIOD = timedelta(seconds=1)
RENEWAL_TIMEOUT = timedelta(seconds=1)
LEASE_MARGIN = timedelta(milliseconds=500)
LOOP_STALL = timedelta(seconds=10)
SWEEP_PERIOD = timedelta(seconds=1)
READY_AFTER = 2 * RENEWAL_PERIOD
LISTEN_PING_PERIOD = timedelta(seconds=2)
LISTEN_PING_PATIENCE = timedelta(seconds=2)

SEGMENT_PERIOD = timedelta(milliseconds=250)
SEGMENT_SWEEP_PERIOD = timedelta(minutes=1)
COALESCE = timedelta(milliseconds=20)
SLOW_SUBSCRIBER = timedelta(seconds=10)
STREAM_POLL = timedelta(seconds=10)
STREAM_PING = timedelta(seconds=15)
# A share that is taken back ends its open streams within 5 s: this, and the time to find out.
STREAM_RECHECK = timedelta(seconds=3)
CLOSED_EPISODE_KEPT = timedelta(seconds=15)
RELAY_PATIENCE = timedelta(milliseconds=500)
RELAY_RETRY_FIRST = timedelta(milliseconds=100)
RELAY_RETRY_LONGEST = timedelta(seconds=5)

STARTUP_TIMEOUT = timedelta(seconds=60)
SILENCE_TIMEOUT = timedelta(minutes=3)
CONNECTION_KEPT = timedelta(seconds=60)
CONNECTION_DRAIN = timedelta(seconds=1)
RETRY_FIRST = timedelta(seconds=1)
RETRY_LONGEST = timedelta(seconds=60)
RETRY_HINT_LONGEST = timedelta(minutes=10)
ATTEMPT_LIMIT = 25

PREPARE_RETRY_FIRST = timedelta(milliseconds=200)
DATABASE_RETRY_FIRST = timedelta(milliseconds=100)
DATABASE_RETRY_LONGEST = timedelta(seconds=5)

GENERATE_CAP = timedelta(minutes=30)
COMPACT_CAP = timedelta(minutes=30)
SUMMARY_CAP = timedelta(minutes=5)
WORKSPACE_IDLE = timedelta(hours=2)
WORKSPACE_SWEEP = timedelta(minutes=1)
TOOL_TIMEOUT = timedelta(minutes=10)
TOOL_CAP_EXTRA = timedelta(minutes=1)

CLIENT_TOOL_DEADLINE = timedelta(minutes=5)
CHILDREN_DEADLINE = timedelta(minutes=5)
CHILDREN_DEADLINE_LONGEST = timedelta(hours=1)
APPROVAL_DEADLINE = timedelta(hours=24)
OUTCOME_UNKNOWN_DEADLINE = timedelta(days=7)

DRAIN = timedelta(seconds=20)
DRAIN_RELEASED = timedelta(seconds=25)
DRAIN_ONCE_CALL = timedelta(minutes=2)

EMBEDDED_PATIENCE = timedelta(seconds=60)
EMBEDDED_TEND_PERIOD = timedelta(seconds=10)
CONNECT_PATIENCE = timedelta(seconds=10)
READINESS_PATIENCE = timedelta(seconds=2)
WORKSPACE_REACH = timedelta(seconds=30)
WORKSPACE_REACH_RETRY = timedelta(milliseconds=20)
WORKSPACE_ANSWER = timedelta(seconds=30)
WORKSPACE_LONG_POLL = timedelta(seconds=20)
WORKSPACE_STOP = timedelta(seconds=15)
PROCESS_GRACE = timedelta(seconds=2)
EXECUTE_TIMEOUT = timedelta(seconds=10)
EXECUTE_TIMEOUT_LONGEST = timedelta(minutes=10)
BUILD_STEP_LONGEST = timedelta(minutes=15)
BACKGROUND_GLANCE = timedelta(milliseconds=300)

SESSION_KEPT = timedelta(days=30)
LOGIN_LINK_KEPT = timedelta(minutes=30)
LOGIN_WINDOW = timedelta(minutes=5)
ACTOR_CACHED = timedelta(seconds=5)
CONFIG_CACHED = timedelta(seconds=10)
PERSONAL_CACHED = timedelta(seconds=5)
IDEMPOTENCY_KEPT = timedelta(hours=24)

SIMULATED_CACHE_KEPT = timedelta(minutes=5)
SIMULATED_PATIENCE = timedelta(seconds=10)
SIMULATED_GRAIN = timedelta(milliseconds=10)
