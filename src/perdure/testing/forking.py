"""Programs that fork from a process that has loaded the server already, and so start in a fraction of the time."""

import asyncio
import os
import runpy
import signal
import sys
import threading
from collections.abc import Mapping, Sequence
from multiprocessing import get_context
from multiprocessing.connection import Connection
from multiprocessing.context import ForkServerProcess
from typing import Any

_FORKING = get_context("forkserver")
# By name: this floor does not know the commands.
_FORKING.set_forkserver_preload(["perdure.cli.main", "perdure.cli.serve"])


class ForkedProcess:
    """What asyncio's own processes offer, as far as replicas use it."""

    def __init__(self, process: ForkServerProcess, stderr: asyncio.StreamReader) -> None:
        self._process = process
        self.pid = process.pid or 0
        self.stderr = stderr
        self.returncode: int | None = None
        self._ended = asyncio.Event()
        asyncio.get_running_loop().add_reader(process.sentinel, self._end)

    def _end(self) -> None:
        asyncio.get_running_loop().remove_reader(self._process.sentinel)
        self.returncode = self._process.exitcode
        self._ended.set()

    def send_signal(self, signal: int) -> None:
        # A process that has ended is not there to be told, and its number may be another's.
        if self.returncode is None:
            os.kill(self.pid, signal)

    def kill(self) -> None:
        self._process.kill()

    async def wait(self) -> int:
        await self._ended.wait()
        assert self.returncode is not None
        return self.returncode


async def forked(program: Sequence[str], variables: Mapping[str, str]) -> ForkedProcess:
    """What `python *program` would be, with these variables."""
    ours, theirs = _FORKING.Pipe(duplex=False)
    process = _FORKING.Process(target=_run, args=(list(program), dict(variables), theirs), daemon=True)
    process.start()
    theirs.close()
    stderr = asyncio.StreamReader()
    pipe = os.fdopen(os.dup(ours.fileno()), "rb", 0)
    ours.close()
    await asyncio.get_running_loop().connect_read_pipe(lambda: asyncio.StreamReaderProtocol(stderr), pipe)
    return ForkedProcess(process, stderr)


class ForkedCommand:
    """What `subprocess.Popen` offers for text, as far as tests of commands use it."""

    def __init__(self, program: Sequence[str], variables: Mapping[str, str]) -> None:
        (out, said), (errors, complained) = _FORKING.Pipe(duplex=False), _FORKING.Pipe(duplex=False)
        self._process = _FORKING.Process(
            target=_run, args=(list(program), dict(variables), complained, said), daemon=True
        )
        self._process.start()
        for theirs in (said, complained):
            theirs.close()
        self.pid = self._process.pid or 0
        self.stdout, self.stderr = (os.fdopen(os.dup(ours.fileno()), encoding="utf-8") for ours in (out, errors))
        for ours in (out, errors):
            ours.close()

    @property
    def returncode(self) -> int | Any:
        return self._process.exitcode

    def communicate(self) -> tuple[str, str]:
        """All that it still says, once it has ended."""
        complaints: list[str] = []
        listening = threading.Thread(target=lambda: complaints.append(self.stderr.read()))
        listening.start()
        said = self.stdout.read()
        listening.join()
        self.wait()
        return said, complaints[0]

    def wait(self) -> int:
        self._process.join()
        assert self._process.exitcode is not None
        return self._process.exitcode

    def send_signal(self, number: signal.Signals) -> None:
        if self.returncode is None:
            os.kill(self.pid, number)

    def end(self) -> None:
        """Have it gone, with all that was still to be read."""
        self._process.kill()
        self.wait()
        self.stdout.close()
        self.stderr.close()


def _run(program: list[str], variables: dict[str, str], errors: Connection, said: Connection | None = None) -> None:
    os.environ.clear()  # noqa: TID251
    os.environ.update(variables)  # noqa: TID251
    os.dup2(errors.fileno(), sys.stderr.fileno())
    os.dup2(os.open(os.devnull, os.O_WRONLY) if said is None else said.fileno(), sys.stdout.fileno())
    errors.close()
    if said is not None:
        said.close()
    if program[0] == "-m":
        sys.argv = program[1:]
        runpy.run_module(program[1], run_name="__main__", alter_sys=True)
    else:
        sys.argv = program
        runpy.run_path(program[0], run_name="__main__")
