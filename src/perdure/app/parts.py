"""What whoever starts a replica brings along: what a test chooses, and what the chaos test adds."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from enum import Enum, auto

from perdure.agent.models import Models
from perdure.agent.prepare import Servers, Sources, Tools
from perdure.core.timing import Clock, SystemClock
from perdure.store.fleet_pubsub import FleetPubsub
from perdure.store.pool import Pool
from perdure.tools.tool import Tool
from perdure.worker.crash_points import CrashPoints, NoCrashPoints
from perdure.worker.draining import Limits


class Runs(Enum):
    """What of a replica runs by itself."""

    EVERYTHING = auto()
    TURNS = auto()
    """Only what drives chats."""
    NOTHING = auto()
    """Whoever holds the parts calls them."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Parts:
    """Where one is given, it is used instead of what the settings and the configuration lead to."""

    clock: Clock = field(default_factory=SystemClock)
    """What turns and requests go by. The lease and the network go by the machine's own."""
    pool: "Pool | None" = None
    """Connections to a database that has the newest schema."""
    pubsub: FleetPubsub | None = None
    models: Models | None = None
    toolbox: Tools | None = None
    sources: Sources | None = None
    servers: Servers | None = None
    tools: Sequence[Tool] = ()
    """Offered beside those that ship."""
    crash_points: CrashPoints = field(default_factory=NoCrashPoints)
    """Hears of every step, for tests that end a replica there."""
    limits: Limits | None = None
    """How long a shutdown waits."""
    runs: Runs = Runs.EVERYTHING


NO_PARTS = Parts()
