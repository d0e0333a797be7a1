"""The simulator as a program of its own: says where it listens, and runs until it is told to stop."""

import asyncio
import signal
import sys
from collections.abc import Callable
from pathlib import Path

import msgspec
import uvloop

from perdure.sim.process import READY
from perdure.sim.script import Script, Scripts
from perdure.sim.server import Simulator


def serve(simulator: Simulator, say: Callable[[str], None], *, held: int | None = None) -> None:
    """Run until interrupted or terminated, or until nobody holds the other end of this pipe any more."""
    uvloop.run(_serve(simulator, say, held))


def load_scripts(path: Path) -> tuple[Script, ...]:
    """The scripts in a JSON or TOML file."""
    data = path.read_bytes()
    decode = msgspec.toml.decode if path.suffix == ".toml" else msgspec.json.decode
    return decode(data, type=Scripts).scripts


async def _serve(simulator: Simulator, say: Callable[[str], None], held: int | None) -> None:
    stopped = asyncio.Event()
    loop = asyncio.get_running_loop()
    for number in (signal.SIGINT, signal.SIGTERM):
        loop.add_signal_handler(number, stopped.set)
    if held is not None:
        loop.add_reader(held, stopped.set)
    async with simulator:
        say(READY + simulator.url)
        await stopped.wait()


def say_plainly(line: str) -> None:
    """For a parent process that reads our output."""
    sys.stdout.write(line + "\n")
    sys.stdout.flush()
