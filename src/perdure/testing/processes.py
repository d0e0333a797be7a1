"""Real replicas: `perdure serve` in processes of their own, which a test may kill."""

import asyncio
import os
import re
import signal
import sys
from collections.abc import AsyncGenerator, Mapping, Sequence
from contextlib import asynccontextmanager
from pathlib import Path

_READY = re.compile(rb"ready at (http://[^ \"]+)")
STARTING = 60
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

    async def stop(self) -> int:
        """Ask it to hand over and go."""
        if self.process.returncode is None:
            self.process.send_signal(signal.SIGTERM)
        return await self.process.wait()


@asynccontextmanager
async def replica(
    database_url: str,
    folder: Path,
    *,
    name: str = "replica",
    environment: Mapping[str, str] | None = None,
    program: Sequence[str] = SERVE,
) -> AsyncGenerator[Replica]:
    """A replica on a free port, gone at the end whatever the test did to it."""
    os.makedirs(folder, exist_ok=True)  # noqa: PTH103
    variables = {
        **{key: value for key, value in os.environ.items() if not key.startswith("PERDURE_")},  # noqa: TID251
        "PERDURE_DATABASE_URL": database_url,
        "PERDURE_DATA_DIR": str(folder),
        "PERDURE_SECRET_KEY": "a secret key that only tests use",
        "PERDURE_LOG_FORMAT": "json",
        **(environment or {}),
    }
    process = await asyncio.create_subprocess_exec(
        *(sys.executable, *program),
        env=variables,
        stderr=asyncio.subprocess.PIPE,
        stdout=asyncio.subprocess.DEVNULL,
    )
    running = Replica(process, folder / f"{name}.log")
    try:
        await running.ready()
        yield running
    finally:
        if process.returncode is None:
            process.kill()
        await process.wait()
