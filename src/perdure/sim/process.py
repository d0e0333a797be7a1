"""The simulator in a process of its own: for servers without a provider, and whoever must not share its time."""

import asyncio
import sys
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path

from perdure.core.errors import Unavailable

READY = "the simulator listens on "
"""What it says once it does, before its address."""


@dataclass(frozen=True, slots=True)
class Running:
    """A simulator process: where it listens and who it is."""

    url: str
    pid: int


@asynccontextmanager
async def simulator_process(port: int = 0, scripts: Path | None = None) -> AsyncGenerator[Running]:
    """Start a simulator, wait until it listens, and end it afterwards."""
    arguments = ["-m", "perdure.sim", str(port), *([str(scripts)] if scripts else [])]
    # Its standard input is ours alone: were we killed, it would see that closed, and end.
    process = await asyncio.create_subprocess_exec(
        sys.executable, *arguments, stdin=asyncio.subprocess.PIPE, stdout=asyncio.subprocess.PIPE
    )
    assert process.stdout is not None
    try:
        line = (await process.stdout.readline()).decode()
        if not line.startswith(READY):
            raise Unavailable(f"The simulator did not start: {line!r}")
        yield Running(line.removeprefix(READY).strip(), process.pid)
    finally:
        if process.returncode is None:
            process.terminate()
        await process.wait()
