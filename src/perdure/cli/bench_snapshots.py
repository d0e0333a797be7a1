"""What keeping the files of a workspace costs on this machine: time and room, for turns that change a few of many."""

import os
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path
from statistics import median
from uuid import uuid4

from perdure.core.ids import WorkspaceId
from perdure.workspaces.driver import GIBIBYTE, Plan
from perdure.workspaces.local.driver import LocalDriver
from perdure.workspaces.local.layout import Layout
from perdure.workspaces.snapshots import SnapshotTerms

TIME_BAR_MILLISECONDS = 300.0
ROOM_BAR = 2.0
CHANGED = 50
IN_A_FOLDER = 100
FILE_BYTES = 3_000
SETTLED_SECONDS = 0.1
CHAT = "bench"


@dataclass(frozen=True, slots=True)
class SnapshotCost:
    """The first snapshot, and those of turns that changed 50 files each."""

    files: int
    first_seconds: float
    turn_milliseconds: float
    longest_milliseconds: float
    room: float
    """Bytes kept for each byte that changed."""


async def measured(files: int, turns: int) -> SnapshotCost:
    with tempfile.TemporaryDirectory(prefix="perdure-") as root:
        # Workspaces run as users of their own.
        os.chmod(root, 0o711)  # noqa: PTH101, S103
        driver, plan = LocalDriver(Path(root)), Plan(WorkspaceId(uuid4()))
        await driver.create(plan)
        layout = Layout(Path(root, str(plan.id)))
        names = _filled(layout.tree, files)
        try:
            async with await driver.start(plan) as client:
                terms = SnapshotTerms(4 * GIBIBYTE)
                begun = time.monotonic()
                await client.snapshots.before(CHAT, 1, terms)
                first = time.monotonic() - begun
                # So that what was just written is not read again.
                time.sleep(SETTLED_SECONDS)  # noqa: ASYNC251
                await client.snapshots.before(CHAT, 2, terms)
                before, times = _kept(layout), list[float]()
                for turn in range(turns):
                    _change(names, turn)
                    begun = time.monotonic()
                    await client.snapshots.before(CHAT, turn + 3, terms)
                    times.append((time.monotonic() - begun) * 1000)
                room = (_kept(layout) - before) / (turns * CHANGED * FILE_BYTES)
            return SnapshotCost(files, first, median(times), max(times), room)
        finally:
            await driver.remove(plan)


def _filled(tree: Path, files: int) -> list[Path]:
    names = [tree / f"d{at // IN_A_FOLDER // 25}" / f"s{at // IN_A_FOLDER}" / f"file{at}.py" for at in range(files)]
    for name in names:
        name.parent.mkdir(parents=True, exist_ok=True)
        name.write_bytes(os.urandom(FILE_BYTES))
    return names


def _change(names: list[Path], turn: int) -> None:
    step = max(1, len(names) // CHANGED)
    for at in range(CHANGED):
        names[(at * step + turn) % len(names)].write_bytes(os.urandom(FILE_BYTES))


def _kept(layout: Layout) -> int:
    folders = [layout.state("agent") / "snapshots" / name for name in ("packs", "objects", "links")]
    return sum(path.stat().st_blocks * 512 for folder in folders for path in folder.iterdir())


def table(cost: SnapshotCost) -> str:
    rows = {
        "files": f"{cost.files}",
        "first snapshot": f"{cost.first_seconds:.2f} s",
        f"after {CHANGED} changes, median": f"{cost.turn_milliseconds:.0f} ms",
        f"after {CHANGED} changes, longest": f"{cost.longest_milliseconds:.0f} ms",
        "room for each byte changed": f"{cost.room:.2f}",
    }
    return "\n".join(f"{name:<30}{value}" for name, value in rows.items())


def missed(cost: SnapshotCost) -> list[str]:
    failures: list[str] = []
    if cost.turn_milliseconds > TIME_BAR_MILLISECONDS:
        failures.append(f"{cost.turn_milliseconds:.0f} ms for a snapshot, more than {TIME_BAR_MILLISECONDS:.0f}")
    if cost.room > ROOM_BAR:
        failures.append(f"{cost.room:.2f} bytes kept for each that changed, more than {ROOM_BAR:.0f}")
    return failures
