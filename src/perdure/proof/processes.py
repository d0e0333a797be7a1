"""Real replicas: `perdure serve` in processes of their own, which may be killed, stopped and resumed."""

import asyncio
import os
import re
import signal
import sys
from collections.abc import AsyncGenerator, Awaitable, Callable, Mapping, Sequence
from contextlib import asynccontextmanager, suppress
from pathlib import Path
from typing import Protocol

_READY = re.compile(rb"ready at (http://[^ \"]+)")
STARTING = 180
SERVE = ("-m", "perdure", "serve", "--bind", "127.0.0.1:0")


class Process(Protocol):
    """A program that runs, as asyncio shows it."""

    @property
    def pid(self) -> int: ...
    @property
    def returncode(self) -> int | None: ...
    @property
    def stderr(self) -> asyncio.StreamReader | None: ...

    def send_signal(self, signal: int, /) -> None: ...
    def kill(self) -> None: ...
    async def wait(self) -> int: ...


Launch = Callable[[Sequence[str], Mapping[str, str]], Awaitable[Process]]
"""Starts what `python *program` would be, with these variables."""


async def spawned(program: Sequence[str], variables: Mapping[str, str]) -> Process:
    """A process of its own from the beginning, as deployments start it."""
    return await asyncio.create_subprocess_exec(
        *(sys.executable, *program),
        env=dict(variables),
        stderr=asyncio.subprocess.PIPE,
        stdout=asyncio.subprocess.DEVNULL,
    )


class Replica:
    """One server: a process, or a supervisor with several."""

    def __init__(self, process: Process, log: Path, *, supervises: bool = False) -> None:
        self.process = process
        self.supervises = supervises
        self.log = log
        self.url = ""

    async def ready(self) -> None:
        """Wait until it says where it listens."""
        async with asyncio.timeout(STARTING):
            assert self.process.stderr is not None
            with self.log.open("ab") as log:
                while line := await self.process.stderr.readline():
                    log.write(line)
                    if found := _READY.search(line):
                        self.url = found[1].decode()
                        self._draining = asyncio.create_task(self._drain())
                        return
        raise RuntimeError(f"the replica did not start: {self.log.read_text()}")

    async def _drain(self) -> None:
        assert self.process.stderr is not None
        with self.log.open("ab") as log:
            while line := await self.process.stderr.readline():
                log.write(line)

    def supervised(self) -> list[int]:
        """The processes that a supervisor has now."""
        if not self.supervises or not self.alive:
            return []
        try:
            listed = Path(f"/proc/{self.process.pid}/task/{self.process.pid}/children").read_text()
        except FileNotFoundError:
            return []
        return [int(pid) for pid in listed.split()]

    def kill(self) -> None:
        """End it between two instructions."""
        self._signal(signal.SIGKILL)

    def pause(self) -> None:
        self._signal(signal.SIGSTOP)

    def resume(self) -> None:
        self._signal(signal.SIGCONT)

    def _signal(self, number: signal.Signals) -> None:
        """For all of it: the supervisor first, so that it does not mend what is done to its processes."""
        supervised = self.supervised()
        self.process.send_signal(number)
        for pid in supervised:
            with suppress(ProcessLookupError):
                os.kill(pid, number)

    @property
    def alive(self) -> bool:
        return self.process.returncode is None

    async def end(self) -> None:
        """Have it gone."""
        if self.alive:
            self.kill()
        await self.process.wait()

    async def stop(self) -> int:
        """Ask it to hand over and go."""
        if self.alive:
            self.process.send_signal(signal.SIGTERM)
        return await self.process.wait()


async def started(
    database_url: str,
    folder: Path,
    *,
    name: str = "replica",
    environment: Mapping[str, str] | None = None,
    program: Sequence[str] = SERVE,
    launch: Launch = spawned,
    supervises: bool = False,
) -> Replica:
    """A replica on a free port, ready. Whoever starts it ends it."""
    folder.mkdir(parents=True, exist_ok=True)  # noqa: ASYNC240
    variables = {
        **{key: value for key, value in os.environ.items() if not key.startswith("PERDURE_")},  # noqa: TID251
        "PERDURE_DATABASE_URL": database_url,
        "PERDURE_DATA_DIR": str(folder),
        "PERDURE_SECRET_KEY": "a secret key that only tests use",
        "PERDURE_LOG_FORMAT": "json",
        **(environment or {}),
    }
    starting = asyncio.ensure_future(launch(program, variables))
    try:
        process = await asyncio.shield(starting)
    except asyncio.CancelledError:
        # It starts all the same, and nobody else knows of it.
        await Replica(await starting, folder / f"{name}.log", supervises=supervises).end()
        raise
    running = Replica(process, folder / f"{name}.log", supervises=supervises)
    try:
        await running.ready()
    except BaseException:
        await running.end()
        raise
    return running


@asynccontextmanager
async def replica(
    database_url: str,
    folder: Path,
    *,
    name: str = "replica",
    environment: Mapping[str, str] | None = None,
    program: Sequence[str] = SERVE,
    launch: Launch = spawned,
    supervises: bool = False,
) -> AsyncGenerator[Replica]:
    """A replica that is gone at the end, whatever was done to it."""
    running = await started(
        database_url,
        folder,
        name=name,
        environment=environment,
        program=program,
        launch=launch,
        supervises=supervises,
    )
    try:
        yield running
    finally:
        await running.end()
