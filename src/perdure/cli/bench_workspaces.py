"""What idle workspaces cost on this machine: memory, processes, CPU, and how long a start takes."""

import asyncio
import json
import os
import tempfile
import time
from contextlib import AsyncExitStack
from dataclasses import dataclass
from pathlib import Path
from statistics import median
from uuid import uuid4

from perdure.core.ids import WorkspaceId
from perdure.workspaces.agent.lineage import descendants
from perdure.workspaces.driver import Plan
from perdure.workspaces.local.driver import LocalDriver

MEMORY_BAR_MEBIBYTES = 20.0
CPU_BAR_PERCENT = 1.0
STARTED_AT_ONCE = 2


@dataclass(frozen=True, slots=True)
class Cost:
    """All workspaces together, but for the times of a start."""

    workspaces: int
    processes: int
    memory_mebibytes: float
    cpu_percent: float
    start_median_seconds: float
    start_longest_seconds: float

    @property
    def memory_each(self) -> float:
        return self.memory_mebibytes / self.workspaces


async def measured(count: int, idle_seconds: float) -> Cost:
    """Start so many workspaces, leave them alone for a while, and count."""
    with tempfile.TemporaryDirectory(prefix="perdure-") as root:
        driver = LocalDriver(Path(root))
        plans = [Plan(WorkspaceId(uuid4())) for _ in range(count)]
        try:
            starts = await _start_all(driver, plans)
            pids = [pid for plan in plans for pid in _processes(Path(root, str(plan.id)))]
            before, since = _cpu_seconds(pids), time.monotonic()
            await asyncio.sleep(idle_seconds)
            used = (_cpu_seconds(pids) - before) / (time.monotonic() - since) * 100
            return Cost(count, len(pids), _memory(pids), used, median(starts), max(starts))
        finally:
            for plan in plans:
                await driver.remove(plan)


async def _start_all(driver: LocalDriver, plans: list[Plan]) -> list[float]:
    places = asyncio.Semaphore(STARTED_AT_ONCE)

    async def start(plan: Plan) -> float:
        async with places, AsyncExitStack() as stack:
            begun = time.monotonic()
            await driver.create(plan)
            await stack.enter_async_context(await driver.start(plan))
            return time.monotonic() - begun

    return await asyncio.gather(*(start(plan) for plan in plans))


def _processes(workspace: Path) -> list[int]:
    """The sandbox's first process, the bubblewrap around it, and everything below."""
    first = int(json.loads((workspace / "run/agent.json").read_text())["child-pid"])
    around = int(Path(f"/proc/{first}/stat").read_text().rpartition(")")[2].split()[1])
    return [around, first, *descendants(first)]


def _memory(pids: list[int]) -> float:
    """Resident memory with shared pages counted once between those who share them."""
    lines = [line for pid in pids for line in Path(f"/proc/{pid}/smaps_rollup").read_text().splitlines()]
    return sum(int(line.split()[1]) for line in lines if line.startswith("Pss:")) / 1024


def _cpu_seconds(pids: list[int]) -> float:
    ticks = 0
    for pid in pids:
        fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
        ticks += int(fields[11]) + int(fields[12])
    return ticks / os.sysconf("SC_CLK_TCK")


def table(cost: Cost) -> str:
    rows = {
        "idle workspaces": f"{cost.workspaces}",
        "processes": f"{cost.processes}",
        "memory, all": f"{cost.memory_mebibytes:.0f} MiB",
        "memory, each": f"{cost.memory_each:.1f} MiB",
        "CPU while idle, all": f"{cost.cpu_percent:.2f} % of one core",
        "start, median": f"{cost.start_median_seconds:.2f} s",
        "start, longest": f"{cost.start_longest_seconds:.2f} s",
    }
    return "\n".join(f"{name:<22}{value}" for name, value in rows.items())


def missed(cost: Cost) -> list[str]:
    failures: list[str] = []
    if cost.memory_each > MEMORY_BAR_MEBIBYTES:
        failures.append(f"{cost.memory_each:.1f} MiB for each workspace, more than {MEMORY_BAR_MEBIBYTES:.0f}")
    if cost.cpu_percent > CPU_BAR_PERCENT:
        failures.append(f"{cost.cpu_percent:.2f} % of a core while idle, more than {CPU_BAR_PERCENT:.0f} %")
    return failures
