"""Time: the clock as a dependency, and durations that several modules share or that depend on each other."""

import asyncio
import time
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from typing import Protocol


class Clock(Protocol):
    """Where the time comes from. Tests bring their own."""

    def now(self) -> datetime:
        """The wall clock, in UTC."""
        ...

    def monotonic(self) -> float:
        """Seconds that only grow and keep counting while the machine sleeps."""
        ...

    async def sleep(self, seconds: float) -> None: ...


class Timer(Protocol):
    def cancel(self) -> None: ...


class AlarmClock(Clock, Protocol):
    """A clock for what watches over something and shall cost no task."""

    def call_later(self, seconds: float, callback: Callable[[], None]) -> Timer:
        """Call back, unless the timer is cancelled before."""
        ...


class SystemClock:
    """The machine's own clocks."""

    def now(self) -> datetime:
        return datetime.now(UTC)

    def monotonic(self) -> float:
        # BOOTTIME, not MONOTONIC: a laptop that slept has outlived its leases.
        return time.clock_gettime(time.CLOCK_BOOTTIME)

    async def sleep(self, seconds: float) -> None:
        await asyncio.sleep(seconds)

    def call_later(self, seconds: float, callback: Callable[[], None]) -> Timer:
        return asyncio.get_running_loop().call_later(seconds, callback)


LEASE = timedelta(seconds=3)
# A lease whose session at the database has ended ends so soon: its process is gone, or cannot reach the database.
# One that is only late, because a disk or a processor is busy, is waited for as long as it lasts.
SEVERED_LEASE = timedelta(seconds=1)
RENEWAL_PERIOD = timedelta(milliseconds=300)
# How often a renewal also lists what the replica owns.
LISTING_PERIOD = timedelta(seconds=1)
RENEWAL_TIMEOUT = timedelta(seconds=1)
# A lease that could not be renewed has little time left: a database that moved is looked for at once, and again.
RENEWAL_RETRY = timedelta(milliseconds=100)
# So much earlier than for the others a lease ends for the one who holds it.
LEASE_MARGIN = timedelta(milliseconds=250)
LOOP_TICK = timedelta(seconds=1)
LOOP_STALL = timedelta(seconds=10)
# How often a replica looks which server it talks to, how long that may take, and when it gives its chats up because
# it cannot do anything about them: such a state ends no later than a lease and two seconds after it began.
SERVER_PERIOD = timedelta(milliseconds=500)
SERVER_RETRY = timedelta(milliseconds=100)
SERVER_PATIENCE = timedelta(seconds=1)
# A connection that says nothing for so long, while another one is answered, leads nowhere.
HANGING = timedelta(seconds=3)
UNSERVED = timedelta(seconds=2)
SWEEP_PERIOD = timedelta(seconds=1)
RENEWAL_LATE = 1.5 * RENEWAL_PERIOD
# After which the end of a lease has passed for the database too.
LEASE_ENDED = timedelta(milliseconds=10)
# What falls to a replica that does not take it is everybody's after this time.
SHARE_PATIENCE = timedelta(milliseconds=300)
READY_AFTER = 2 * RENEWAL_PERIOD
LISTEN_PING_PERIOD = timedelta(seconds=2)
LISTEN_PING_PATIENCE = timedelta(seconds=2)
NOTICE_POLL = timedelta(seconds=2)

SEGMENT_PERIOD = timedelta(milliseconds=250)
SEGMENT_SWEEP_PERIOD = timedelta(minutes=1)
COALESCE = timedelta(milliseconds=15)
PROGRESS_AGAIN = timedelta(seconds=1)
"""When what a tool shows is tried again, after it had to wait for room."""
SLOW_SUBSCRIBER = timedelta(seconds=10)
STREAM_POLL = timedelta(seconds=10)
STREAM_PING = timedelta(seconds=15)
# A connection on which nothing comes for two heartbeats is dead, whatever the network says.
STREAM_SILENCE = 2 * STREAM_PING + timedelta(seconds=5)
# How long a client waits for one answer before it asks again.
REQUEST_PATIENCE = timedelta(seconds=30)
REQUEST_CONNECT = timedelta(seconds=10)
# When another look is worth it, as refusals say it: a queue empties turn by turn.
QUEUE_FULL_RETRY = timedelta(seconds=5)
UNAVAILABLE_RETRY = timedelta(seconds=1)
# A share that is taken back ends its open streams within 5 s: this, and the time to find out.
STREAM_RECHECK = timedelta(seconds=3)
STREAM_LOOK = timedelta(seconds=1)
# How often a replica says again who follows a shared chat there, and how long the others believe it.
PRESENCE_BEAT = timedelta(seconds=10)
PRESENCE_KEPT = 2 * PRESENCE_BEAT + timedelta(seconds=5)
PRESENCE_LOOK = timedelta(seconds=1)
# How long somebody types who says no more of it; a page says it again every few seconds.
TYPING_KEPT = timedelta(seconds=6)
WATCH_COLLECT = timedelta(milliseconds=50)
WATCH_POLL = timedelta(seconds=30)
WATCH_OVERLAP = timedelta(seconds=10)
WATCH_MEMORY = timedelta(days=1)
CLOSED_EPISODE_KEPT = timedelta(seconds=15)
HISTORY_KEPT = timedelta(minutes=1)
RELAY_PATIENCE = timedelta(milliseconds=500)
RELAY_RETRY_FIRST = timedelta(milliseconds=100)
RELAY_RETRY_LONGEST = timedelta(seconds=5)

# A process that lived for so long is started again at once.
PROCESS_HEALTHY = timedelta(seconds=30)
PROCESS_RESTART_FIRST = timedelta(milliseconds=100)
PROCESS_RESTART_LONGEST = timedelta(seconds=10)

STARTUP_TIMEOUT = timedelta(seconds=60)
SILENCE_TIMEOUT = timedelta(minutes=3)
ATTEMPT_LIMIT = 25

PREPARE_RETRIES = 3
PREPARE_RETRY_FIRST = timedelta(milliseconds=200)
DATABASE_RETRY_FIRST = timedelta(milliseconds=100)
DATABASE_RETRY_LONGEST = timedelta(seconds=1)
# Somebody waits for it: a database that is back is noticed at once.
COMMIT_RETRY_LONGEST = timedelta(milliseconds=400)
# A runner outlives a database that is away for a while; a handler does not.
COMMIT_PATIENCE = timedelta(seconds=10)
RUNNER_COMMIT_PATIENCE = timedelta(minutes=30)

GENERATE_CAP = timedelta(minutes=30)
# Longer than a workspace is given to answer: a command is ended there before its call is.
CANCEL_PATIENCE = timedelta(seconds=40)
SUMMARY_CAP = timedelta(minutes=5)
WORKSPACE_SWEEP = timedelta(minutes=1)
TOOL_TIMEOUT = timedelta(minutes=10)
TOOL_CAP_EXTRA = timedelta(minutes=1)

CLIENT_TOOL_DEADLINE = timedelta(minutes=5)
APPROVAL_DEADLINE = timedelta(hours=24)
OUTCOME_UNKNOWN_DEADLINE = timedelta(days=7)
ELICITATION_DEADLINE = timedelta(days=7)

# For programs that get their token through the page: as long as a browser takes to go back, and a quarter of a year.
PROGRAM_CODE_KEPT = timedelta(minutes=2)
PROGRAM_TOKEN_KEPT = timedelta(days=90)

FORGET_PERIOD = timedelta(seconds=1)
# How long a replica that was there before a failover is waited for until it has said again what it started: where a
# machine is far too busy, it is silent for longer than its lease.
SAID_AGAIN_LONGEST = timedelta(seconds=30)
SAID_AGAIN_LOOK = timedelta(milliseconds=200)
# A chat that was made so shortly before a failover, and is gone after it, was lost: no standby that takes over is
# further behind.
NEW_CHAT = timedelta(minutes=10)
JOURNAL_SWEEP_PERIOD = timedelta(minutes=1)
JOURNAL_KEPT = timedelta(hours=1)

DRAIN = timedelta(seconds=20)
DRAIN_RELEASED = timedelta(seconds=25)
DRAIN_ONCE_CALL = timedelta(minutes=2)

EMBEDDED_PATIENCE = timedelta(seconds=60)
EMBEDDED_TEND_PERIOD = timedelta(seconds=10)
EMBEDDED_LOOK = timedelta(milliseconds=10)
# Whoever looks whether there is a keeper holds its lock for a moment; a keeper that starts waits so long for it.
KEEPER_PROBE = timedelta(seconds=1)
POSTGRES_RESTART_FIRST = timedelta(milliseconds=50)
POSTGRES_RESTART_LONGEST = timedelta(seconds=5)
POSTGRES_SHUTDOWN = timedelta(seconds=60)
CONNECT_PATIENCE = timedelta(seconds=10)
# How long one host of a database has to answer, and when the next one is asked besides.
HOST_PATIENCE = timedelta(seconds=3)
NEXT_HOST_AFTER = timedelta(milliseconds=200)
# How long a warning that repeats is not said again.
LOG_AGAIN = timedelta(seconds=30)
# How often a replica looks whether two of its hosts take writes.
HOSTS_PERIOD = timedelta(seconds=5)
# Longer than proxies and clients keep a connection that is idle (nginx a minute, Caddy two): whoever sends requests
# closes it first, or a request could meet our closing on its way.
IDLE_CONNECTION_KEPT = timedelta(seconds=150)
READINESS_PATIENCE = timedelta(seconds=2)
WORKSPACE_REACH = timedelta(seconds=30)
WORKSPACE_REACH_RETRY = timedelta(milliseconds=20)
WORKSPACE_ANSWER = timedelta(seconds=30)
WORKSPACE_LONG_POLL = timedelta(seconds=20)
SNAPSHOT_AT_END = timedelta(seconds=5)
SNAPSHOT_PATIENCE = timedelta(minutes=4)
# How often what left workspaces is counted: those that are used here, and all that run.
NETWORK_COUNTED = timedelta(seconds=5)
NETWORK_SWEEP = timedelta(minutes=1)
# A fork waits for its files. A tree of a million files is looked through in a minute or two before anything is said.
COPY_LONGEST = timedelta(minutes=15)
COPY_SILENCE = timedelta(minutes=4)
CONTEXT_PATIENCE = timedelta(seconds=10)
FORGE_ANSWER = timedelta(seconds=10)
FORGE_AGAIN = timedelta(minutes=2)
FORGE_LONGEST = timedelta(minutes=30)
# Strangers may ask GitHub 60 times an hour.
FORGE_STRANGER_AGAIN = timedelta(minutes=15)
FORGE_STRANGER_PAUSE = timedelta(minutes=1)
WORKSPACE_WATCH_KEPT = timedelta(minutes=3)
PORT_IDLE_KEPT = timedelta(seconds=4)
"""How long a connection to a port is kept for the next request: less than the 5 s after which Node closes its end."""
PREVIEW_LINK_KEPT = timedelta(minutes=1)
"""How long an address that opens a preview works: as long as it takes to go there."""
PREVIEW_KEPT = timedelta(hours=12)
"""How long a preview that is open goes on without being opened again."""
PREVIEW_HEAD = timedelta(minutes=2)
"""How long what is served in a workspace may take to begin its answer."""
TERMINAL_BUSY = timedelta(seconds=10)
TERMINAL_BUSY_RETRY = timedelta(milliseconds=50)
WORKSPACE_STOP = timedelta(seconds=15)
CLUSTER_ANSWER = timedelta(seconds=10)
CLUSTER_HEARTBEAT = timedelta(seconds=30)
CLUSTER_LOOK = timedelta(seconds=1)
# How long a pod may wait for a node, unless the cluster says that it grows.
CLUSTER_SCHEDULE = timedelta(seconds=12)
# Less than a workspace is given to answer: what the matter is, is to be told in its own words.
CLUSTER_START = WORKSPACE_REACH - timedelta(seconds=5)
# The first start of a workspace: its image may have to be pulled.
CLUSTER_FIRST_START = timedelta(minutes=5)
CLUSTER_STOP = timedelta(seconds=20)
# A pod that tried the cluster, and whose replica died meanwhile, is nobody's after so long.
CLUSTER_PROBE_FORGOTTEN = timedelta(minutes=10)
# A cluster writes a pod's token anew before it expires.
CLUSTER_TOKEN_READ_AGAIN = timedelta(minutes=1)
# How long the program that a kubeconfig names may take to give a token.
CLUSTER_LOGIN = timedelta(seconds=30)
# How long a network policy may take to hold.
CLUSTER_PROBE = timedelta(seconds=40)
CONTROL_GROUP_EMPTY = timedelta(seconds=5)
CONTROL_GROUP_LOOK = timedelta(milliseconds=10)
PROCESS_GRACE = timedelta(seconds=2)
EXECUTE_TIMEOUT = timedelta(seconds=10)
EXECUTE_TIMEOUT_LONGEST = timedelta(minutes=10)
BUILD_STEP_LONGEST = timedelta(minutes=15)
# How often clusters are asked for workspaces that nobody knows, and how long such a one is left alone.
ORPHAN_SWEEP = timedelta(minutes=5)
ORPHAN_KEPT = timedelta(hours=1)
WARM_PERIOD = timedelta(seconds=5)
# After this long a workspace that is being made ahead, or removed, is nobody's: its replica is gone.
WARM_MAKING = 2 * BUILD_STEP_LONGEST
# What stood ready for longer is made anew: its repository has moved on.
WARM_LONGEST = timedelta(hours=12)
BACKGROUND_GLANCE = timedelta(milliseconds=300)

DEBUG_RUN_SWEEP = timedelta(minutes=1)
TURN_TRACE_SWEEP = timedelta(minutes=10)
TURN_TRACE_KEPT = timedelta(days=1)
SEARCH_PERIOD = timedelta(milliseconds=300)
SEARCH_CATCH_UP = timedelta(minutes=5)
SESSION_KEPT = timedelta(days=30)
PROBE_PATIENCE = timedelta(seconds=30)
"""How long a provider that is only tried may take."""
SIGN_IN_FRESH = timedelta(minutes=10)
"""How long nobody who signed in is asked again who they are."""
LOGIN_LINK_KEPT = timedelta(minutes=30)
LOGIN_WINDOW = timedelta(minutes=5)
ACTOR_CACHED = timedelta(seconds=5)
CONFIG_CACHED = timedelta(seconds=10)
PERSONAL_CACHED = timedelta(seconds=5)
IDEMPOTENCY_KEPT = timedelta(hours=24)
SIGNED_URL_KEPT = timedelta(minutes=5)
OIDC_CACHED = timedelta(hours=1)
OIDC_PATIENCE = timedelta(seconds=10)
OIDC_ATTEMPT_KEPT = timedelta(minutes=10)
# How far the clocks of a login service and ours may be apart.
OIDC_LEEWAY = timedelta(seconds=30)
PUSH_PERIOD = timedelta(seconds=5)
# What else is to be told within this time is told together.
PUSH_COLLECT = timedelta(milliseconds=200)
PUSH_PATIENCE = timedelta(seconds=10)
# Whoever took an entry delivers it within this time, or another tries.
PUSH_TAKEN = timedelta(minutes=1)
PUSH_FRESH = timedelta(hours=1)
PUSH_KEPT = timedelta(hours=12)
# Somebody looks at least so often whether a schedule is due; a clock that jumps is noticed within this time.
SCHEDULE_PERIOD = timedelta(seconds=1)
SCHEDULE_SETTLE_PERIOD = timedelta(seconds=5)
# A due time is missed where nobody saw it for so long: no replica ran, or the clock jumped.
SCHEDULE_MISSED = timedelta(minutes=1)
# Whoever took a run has begun it within this time, or another does.
SCHEDULE_TAKEN = timedelta(seconds=30)
WEBHOOK_PERIOD = timedelta(seconds=1)
WEBHOOK_PATIENCE = timedelta(seconds=10)
# Longer than a delivery may take: whoever took one and says nothing has died.
WEBHOOK_TAKEN = 3 * WEBHOOK_PATIENCE
WEBHOOK_RETRIES = tuple(timedelta(seconds=each) for each in (5, 30, 120, 600, 3_600, 10_800, 28_800, 86_400))
WEBHOOK_KEPT = timedelta(days=7)
SCHEDULE_RUNS_KEPT = timedelta(days=90)
# A program's signature counts for so long, as Standard Webhooks and Slack have it.
SIGNATURE_KEPT = timedelta(minutes=5)
# For so long a delivery that comes twice is known, and can be replayed.
TRIGGER_DELIVERIES_KEPT = timedelta(days=30)
CHANNEL_CODE_KEPT = timedelta(minutes=15)
# GitHub takes proofs of an app that end within ten minutes, by its own clock.
APP_PROOF_BEFORE = timedelta(minutes=1)
APP_PROOF_KEPT = timedelta(minutes=8)
TRIGGER_PURGE_PERIOD = timedelta(minutes=10)
# How many deliveries begin a chat in this time is bounded.
TRIGGER_BOUND = timedelta(hours=1)
HOUSEKEEPING_PERIOD = timedelta(minutes=10)
DESCRIPTION_CAP = timedelta(minutes=1)
# A turn without a description for this long lost whoever was to find one. After a day nobody misses it any more.
DESCRIPTION_PATIENCE = 10 * DESCRIPTION_CAP
DESCRIBING_SWEEP = DESCRIPTION_PATIENCE / 2
DESCRIBING_HOLD = timedelta(seconds=2)
DESCRIPTIONS_MISSED = timedelta(days=1)
OVER_KEPT = timedelta(days=30)
DEMO_PATIENCE = timedelta(seconds=1)
LOCAL_CHAT_PATIENCE = timedelta(seconds=1)
LOCAL_CHAT_TOKEN_KEPT = timedelta(hours=12)
SETTLE_PERIOD = timedelta(seconds=1)
SLICE_IDLE = timedelta(seconds=10)
REFILL_PERIOD = timedelta(minutes=1)

SIMULATED_CACHE_KEPT = timedelta(minutes=5)
SIMULATED_PATIENCE = timedelta(seconds=10)
SIMULATED_GRAIN = timedelta(milliseconds=10)

MCP_CONNECT = timedelta(seconds=10)
MCP_LONGEST_CALL = timedelta(days=1)

SERVICE_PAUSE = timedelta(milliseconds=500)
"""After which a service that failed starts again."""

EGRESS_STOP = timedelta(seconds=5)
"""How long a proxy that was told to end is waited for."""
EGRESS_ALONE = timedelta(minutes=1)
"""How long the proxy of a workspace waits for one before it leaves."""
EGRESS_RESTART = timedelta(milliseconds=200)
"""Before a proxy that died is started again."""
EGRESS_CLIENT = timedelta(minutes=5)
"""How long a program in a workspace may say nothing to the proxy."""
EGRESS_HELLO = timedelta(seconds=20)
"""How long it may take to begin TLS."""
EGRESS_CONNECT = timedelta(seconds=10)
"""How long a proxy waits for a server to be reached."""
EGRESS_SERVER = timedelta(minutes=10)
"""How long it waits for a server that says nothing."""
EGRESS_AUTHORITY = timedelta(days=3650)
"""How long the certificates' authority of a workspace is valid."""
EGRESS_CERTIFICATE = timedelta(days=397)
"""How long a certificate of a host is that it vouches for: what browsers take at most."""
CLOCKS_APART = timedelta(days=1)
"""How far the clock inside may be behind, that certificates are valid for it."""
# How often files are looked for that belong into object storage; where that is away, less and less often.
OBJECT_PERIOD = timedelta(seconds=1)
OBJECT_RETRY_LONGEST = timedelta(seconds=30)
OBJECT_PATIENCE = timedelta(seconds=30)
# Longer than writing or removing one may take: whoever took one and says nothing has died.
OBJECT_TAKEN = 2 * OBJECT_PATIENCE
# An object that no file refers to so long after it was begun is needed by nobody.
OBJECT_FRESH = timedelta(minutes=10)
OBJECT_SWEEP_PERIOD = timedelta(minutes=10)
OBJECT_LISTING_PERIOD = timedelta(hours=12)
# How long an address leads into object storage that somebody was sent to: they follow it at once.
DIRECT_URL_KEPT = timedelta(minutes=1)
# How far clocks may be apart where a request is refused for another reason. S3 itself takes a quarter of an hour.
OBJECT_SKEW = timedelta(minutes=5)
