"""The place for this program's own children: collecting the dead, running small helpers, and finding strays."""

from __future__ import annotations

import asyncio
import contextlib
import os
import signal
import subprocess
from typing import Callable, NamedTuple

from perdure.workspaces.agent.limits import HELPER_SECONDS, PIPE_READ_BYTES
from perdure.workspaces.agent.lineage import signal_all
from perdure.workspaces.agent.problems import Problem


def find_program(name: str, path: str) -> str | None:
    for directory in path.split(":"):
        candidate = os.path.join(directory, name)
        if os.path.isfile(candidate) and os.access(candidate, os.X_OK):
            return candidate
    return None


class Finished(NamedTuple):
    """What a helper program said before it ended."""

    status: int
    output: bytes
    cut: bool


class Children:
    """Every child is collected here, also orphans handed down; those that somebody waits for are reported."""

    def __init__(self) -> None:
        self._waiting: dict[int, Callable[[int], None]] = {}

    def install(self, loop: asyncio.AbstractEventLoop) -> None:
        loop.add_signal_handler(signal.SIGCHLD, self.collect)

    def expect(self, pid: int, told: Callable[[int], None]) -> None:
        self._waiting[pid] = told

    def collect(self) -> None:
        while True:
            try:
                pid, status = os.waitpid(-1, os.WNOHANG)
            except ChildProcessError:
                return
            if pid == 0:
                return
            told = self._waiting.pop(pid, None)
            if told is not None:
                told(status)

    def kill_strays(self) -> None:
        """End what was handed down although its guard should have kept it: the guard was killed from inside."""
        mine = os.getpid()
        for _ in range(200):
            strays = [pid for pid in _direct(mine) if pid not in self._waiting]
            if not strays:
                return
            signal_all(strays, signal.SIGKILL)
            self.collect()

    async def run(self, arguments: list[str], directory: str, environment: dict[str, str], most: int) -> Finished:
        """Run a helper to its end and keep at most so many bytes of what it prints; more ends it early."""
        process = _spawn(arguments, directory, environment)
        ended: asyncio.Future[int] = asyncio.get_running_loop().create_future()
        self.expect(process.pid, lambda status: None if ended.done() else ended.set_result(status))
        # The status is collected above; without this the destructor would wait for a pid that may be reused.
        process.returncode = 0
        assert process.stdout is not None
        try:
            output, cut = await asyncio.wait_for(read_up_to(process.stdout.fileno(), most), HELPER_SECONDS)
            if cut:
                _kill_group(process.pid)
            return Finished(os.waitstatus_to_exitcode(await asyncio.wait_for(ended, HELPER_SECONDS)), output, cut)
        except asyncio.TimeoutError:
            raise Problem(504, "timeout", f"{arguments[0]} took longer than {HELPER_SECONDS:.0f} s") from None
        finally:
            if not ended.done():
                _kill_group(process.pid)
            process.stdout.close()


def _spawn(arguments: list[str], directory: str, environment: dict[str, str]) -> subprocess.Popen[bytes]:
    return subprocess.Popen(
        arguments,
        cwd=directory,
        env=environment,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        start_new_session=True,
    )


def _kill_group(pid: int) -> None:
    with contextlib.suppress(ProcessLookupError):
        os.killpg(pid, signal.SIGKILL)


def _direct(parent: int) -> list[int]:
    try:
        with open(f"/proc/{parent}/task/{parent}/children") as file:
            return [int(pid) for pid in file.read().split()]
    except FileNotFoundError:
        return []


async def read_up_to(descriptor: int, most: int) -> tuple[bytes, bool]:
    """What comes until the end, or that it is more than so many bytes and the first of them."""
    loop = asyncio.get_running_loop()
    os.set_blocking(descriptor, False)
    collected = bytearray()
    done: asyncio.Future[bool] = loop.create_future()

    def ready() -> None:
        try:
            content = os.read(descriptor, PIPE_READ_BYTES)
        except BlockingIOError:
            return
        collected.extend(content)
        if not content or len(collected) > most:
            loop.remove_reader(descriptor)
            if not done.done():
                done.set_result(len(collected) > most)

    loop.add_reader(descriptor, ready)
    try:
        cut = await done
        return bytes(collected[:most]), cut
    finally:
        loop.remove_reader(descriptor)
