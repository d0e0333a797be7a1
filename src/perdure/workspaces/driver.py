"""The contract of every driver: what makes, starts, stops and removes workspaces."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Protocol

import msgspec

from perdure.core.ids import WorkspaceId
from perdure.core.screen import Screen
from perdure.workspaces.client import WorkspaceClient
from perdure.workspaces.egress.control import EgressControl
from perdure.workspaces.egress.rules import Rule

MEBIBYTE = 1024 * 1024
GIBIBYTE = 1024 * MEBIBYTE
NO_VIEW = "This workspace has no read-only view; commands are not available in this mode."


class Network(StrEnum):
    NONE = "none"
    ALLOW = "allow"
    """What rules allow, through a proxy outside."""
    HOST = "host"


@dataclass(frozen=True, slots=True)
class Limits:
    """What the processes of one workspace may use together; `file_bytes` is for each file."""

    memory_bytes: int = 2 * GIBIBYTE
    processes: int = 256
    file_bytes: int = 2 * GIBIBYTE
    disk_bytes: int = 10 * GIBIBYTE


class Computer(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A screen inside, and the command that uses it: the runner."""

    command: str
    screen: Screen = Screen()


@dataclass(frozen=True, slots=True)
class Plan:
    """All that a driver must know to run a workspace."""

    id: WorkspaceId
    network: Network = Network.NONE
    limits: Limits = Limits()
    environment: Mapping[str, str] = field(default_factory=dict[str, str])
    settings: Mapping[str, str] = field(default_factory=dict[str, str])
    computer: Computer | None = None
    rules: tuple[Rule, ...] = ()
    """What may leave it where its network is by permission."""


def stored(plan: Plan) -> str:
    """A plan as a workspace's row keeps it."""
    return msgspec.json.encode(plan).decode()


def restored(text: str) -> Plan:
    """It says itself where its files are: one that was made ahead of its use was not made under its row's id."""
    return _plans.decode(text)


_plans = msgspec.json.Decoder(Plan)


class Driver(Protocol):
    """Makes workspaces. Every method may be called again after a crash and then finds what is already there."""

    @property
    def name(self) -> str: ...

    @property
    def sandboxed(self) -> bool:
        """Whether commands are kept away from the host; the web page shows in red where they are not."""
        ...

    @property
    def has_view(self) -> bool:
        """Whether a read-only view can be had; without one there is no `execute` in plan and explore mode."""
        ...

    async def check(self) -> None:
        """Raise `Misconfigured`, saying what to install or allow, where this driver cannot work."""
        ...

    async def create(self, plan: Plan) -> None:
        """Make the tree and the kept home, empty."""
        ...

    async def start(self, plan: Plan) -> WorkspaceClient:
        """Run the agent program, or find it running, and connect. It outlives this process."""
        ...

    async def connect(self, plan: Plan) -> WorkspaceClient:
        """Connect to an agent program that is running; `WorkspaceUnreachable` where none is."""
        ...

    async def view(self, plan: Plan) -> WorkspaceClient:
        """The same files, read-only, through an agent program of its own."""
        ...

    def egress(self, plan: Plan) -> EgressControl:
        """The proxy of a workspace whose network is by permission; it runs while the workspace does."""
        ...

    async def stop(self, plan: Plan) -> None:
        """End everything that runs in it; files stay."""
        ...

    async def remove(self, plan: Plan) -> None:
        """Stop it and delete its files."""
        ...

    async def size(self, plan: Plan) -> int | None:
        """What its files take on disk, where that can be told without starting it."""
        ...

    async def close(self) -> None:
        """Let go of connections; workspaces run on."""
        ...
