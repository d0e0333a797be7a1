"""What workspaces in pods of a cluster cost in time: to be there, cold and warm, and to run a command."""

import asyncio
import tempfile
import time
from collections.abc import Sequence
from contextlib import AsyncExitStack
from dataclasses import dataclass
from datetime import timedelta
from pathlib import Path
from statistics import median, quantiles
from typing import Self
from uuid import uuid4

from perdure.core.errors import Misconfigured
from perdure.core.extras import require
from perdure.core.ids import WorkspaceId
from perdure.workspaces.client import WorkspaceClient
from perdure.workspaces.driver import Driver, Plan
from perdure.workspaces.drivers import Drivers
from perdure.workspaces.local.driver import LocalDriver

COLD_BAR_SECONDS, WARM_BAR_SECONDS, COMMAND_BAR_MILLISECONDS = 3.0, 0.3, 15.0
PATIENCE = timedelta(minutes=5)
NAME = "bench"


@dataclass(frozen=True, slots=True, kw_only=True)
class Wanted:
    """How often each is measured, and with what a template would say."""

    kubeconfig: Path
    settings: dict[str, str]
    rounds: int
    commands: int
    at_once: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Times:
    """In seconds."""

    cold: Sequence[float]
    """From nothing to the first answer to a tool."""
    warm: Sequence[float]
    """The same where the pod runs, by a replica that has not seen it yet."""
    local: Sequence[float]
    pod: Sequence[float]
    """One command, until its result."""
    together: Sequence[float]
    """Cold, with all of them at once, and a command in each."""
    left: int
    """Workspaces of which anything is there afterwards."""

    @property
    def added_milliseconds(self) -> float:
        return (median(self.pod) - median(self.local)) * 1000


async def measured(wanted: Wanted) -> Times:
    """Make, use and remove workspaces; nothing of them stays."""
    require("kubernetes")
    if not wanted.kubeconfig.is_file():
        raise Misconfigured(f"There is no kubeconfig at {wanted.kubeconfig}. Name one with --kubeconfig.")
    with tempfile.TemporaryDirectory(prefix="perdure-") as name:
        folder = Path(name)
        (folder / "kubernetes").mkdir()
        (folder / "kubernetes" / NAME).write_bytes(wanted.kubeconfig.read_bytes())
        async with AsyncExitStack() as stack:
            deployment = f"bench-{uuid4().hex[:8]}"
            replicas = [_replica(folder, deployment, stack) for _ in range(2)]
            return await _Bench(wanted, folder, replicas).run()


def _replica(folder: Path, deployment: str, stack: AsyncExitStack) -> Drivers:
    """As each replica of the same deployment has them."""
    drivers = Drivers(folder, LocalDriver(folder), deployment=deployment)
    stack.push_async_callback(drivers.close)
    return drivers


class _Bench:
    def __init__(self, wanted: Wanted, folder: Path, replicas: Sequence[Drivers]) -> None:
        settings = {**wanted.settings, "cluster": NAME}
        self._wanted, self._settings = wanted, settings
        self._driver, self._other = (drivers.cluster(settings) for drivers in replicas)
        self._local = LocalDriver(folder / "workspaces")

    async def run(self) -> Times:
        # What is tried once for each process is not part of any workspace.
        await asyncio.gather(self._driver.abilities(), self._other.abilities())
        cold, warm = list[float](), list[float]()
        for _ in range(self._wanted.rounds):
            async with _Made(self._driver, self._plan()) as made:
                cold.append(made.took)
                begun = time.monotonic()
                async with await self._other.start(made.plan) as client:
                    await client.files.list()
                    warm.append(time.monotonic() - begun)
        local, pod = await self._commands()
        together = await asyncio.gather(*(self._with_command() for _ in range(self._wanted.at_once)))
        left = len(await self._driver.held())
        return Times(cold=cold, warm=warm, local=local, pod=pod, together=together, left=left)

    async def _commands(self) -> tuple[list[float], list[float]]:
        """In turns, so that whatever slows the machine slows both."""
        async with _Made(self._local, self._plan()) as here, _Made(self._driver, self._plan()) as there:
            times: tuple[list[float], list[float]] = ([], [])
            for _ in range(self._wanted.commands):
                for made, found in zip((here, there), times, strict=True):
                    found.append(await _command(made.client))
            return times

    async def _with_command(self) -> float:
        begun = time.monotonic()
        async with _Made(self._driver, self._plan()) as made:
            await _command(made.client)
            return time.monotonic() - begun

    def _plan(self) -> Plan:
        return Plan(WorkspaceId(uuid4()), settings=self._settings)


class _Made:
    """A workspace from nothing to its first answer, and its removal."""

    def __init__(self, driver: Driver, plan: Plan) -> None:
        self._driver, self.plan = driver, plan
        self.took = 0.0

    async def __aenter__(self) -> Self:
        begun = time.monotonic()
        try:
            await self._driver.create(self.plan)
            self.client = await self._driver.start(self.plan)
            await self.client.files.list()
        except BaseException:
            await self._driver.remove(self.plan)
            raise
        self.took = time.monotonic() - begun
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.client.close()
        await self._driver.remove(self.plan)


async def _command(client: WorkspaceClient) -> float:
    begun = time.monotonic()
    process = await client.processes.start("true", key=uuid4().hex)
    await client.processes.wait(process.id, PATIENCE)
    return time.monotonic() - begun


def table(times: Times) -> str:
    rows = {
        "cold, from nothing to an answer": _seconds(times.cold),
        "warm, where the pod runs": _seconds(times.warm),
        "a command, local driver": _milliseconds(times.local),
        "a command, in a pod": _milliseconds(times.pod),
        "what the pod adds": f"{times.added_milliseconds:.1f} ms",
        f"{len(times.together)} at once, with a command": _seconds(times.together),
        "workspaces left afterwards": f"{times.left}",
    }
    return "\n".join(f"{name:<34}{value}" for name, value in rows.items())


def missed(times: Times) -> list[str]:
    failures: list[str] = []
    if max(times.cold) > COLD_BAR_SECONDS:
        failures.append(f"{max(times.cold):.2f} s cold, more than {COLD_BAR_SECONDS:.0f} s")
    if max(times.warm) > WARM_BAR_SECONDS:
        failures.append(f"{max(times.warm):.2f} s warm, more than {WARM_BAR_SECONDS} s")
    if times.added_milliseconds > COMMAND_BAR_MILLISECONDS:
        failures.append(
            f"a command costs {times.added_milliseconds:.1f} ms more, over {COMMAND_BAR_MILLISECONDS:.0f} ms"
        )
    if times.left:
        failures.append(f"{times.left} workspaces were left behind")
    return failures


def _seconds(times: Sequence[float]) -> str:
    return f"{median(times):.2f} s median, {max(times):.2f} s longest"


def _milliseconds(times: Sequence[float]) -> str:
    p90 = quantiles(times, n=10)[-1] if len(times) > 1 else times[0]
    return f"{median(times) * 1000:.1f} ms median, {p90 * 1000:.1f} ms p90"
