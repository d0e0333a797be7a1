"""Real replicas: `perdure serve` in processes of their own, which may be killed, stopped and resumed."""

import asyncio
import os
import re
import signal
import sys
from collections.abc import AsyncGenerator, Mapping, Sequence
from contextlib import asynccontextmanager
from pathlib import Path

_READY = re.compile(rb"ready at (http://[^ \"]+)")
STARTING = 180
SERVE = ("-m", "perdure", "serve", "--bind", "127.0.0.1:0")


class Replica:
    """One server process."""

    def __init__(self, process: asyncio.subprocess.Process, log: Path) -> None:
        self.process = process
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

    def kill(self) -> None:
        """End it between two instructions."""
        self.process.send_signal(signal.SIGKILL)

    def pause(self) -> None:
        self.process.send_signal(signal.SIGSTOP)

    def resume(self) -> None:
        self.process.send_signal(signal.SIGCONT)

    @property
    def alive(self) -> bool:
        return self.process.returncode is None

    async def end(self) -> None:
        """Have it gone."""
        if self.alive:
            self.process.kill()
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
    starting = asyncio.ensure_future(
        asyncio.create_subprocess_exec(
            *(sys.executable, *program),
            env=variables,
            stderr=asyncio.subprocess.PIPE,
            stdout=asyncio.subprocess.DEVNULL,
        )
    )
    try:
        process = await asyncio.shield(starting)
    except asyncio.CancelledError:
        # It starts all the same, and nobody else knows of it.
        await Replica(await starting, folder / f"{name}.log").end()
        raise
    running = Replica(process, folder / f"{name}.log")
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
) -> AsyncGenerator[Replica]:
    """A replica that is gone at the end, whatever was done to it."""
    running = await started(database_url, folder, name=name, environment=environment, program=program)
    try:
        yield running
    finally:
        await running.end()
