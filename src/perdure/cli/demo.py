"""The simulator as a child process, for a server that has no provider yet."""

import asyncio
import sys
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager

from perdure.core.errors import Unavailable
from perdure.sim.serving import READY


@asynccontextmanager
async def simulator() -> AsyncGenerator[str]:
    """Where the simulator listens, for as long as it is held."""
    process = await asyncio.create_subprocess_exec(
        sys.executable, "-m", "perdure.cli.demo", stdout=asyncio.subprocess.PIPE, stdin=asyncio.subprocess.PIPE
    )
    assert process.stdout is not None
    try:
        line = (await process.stdout.readline()).decode().strip()
        if not line.startswith(READY):
            raise Unavailable("The simulator did not start.")
        yield line.removeprefix(READY)
    finally:
        if process.returncode is None:
            process.terminate()
        await process.wait()


if __name__ == "__main__":
    from perdure.sim.server import Simulator
    from perdure.sim.serving import say_plainly, serve

    serve(Simulator(), say_plainly)
