"""A real NATS server on a loopback port, which a test may stop, hang and start again."""

import asyncio
import signal
import sys
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from pathlib import Path

from perdure.testing.ports import free_port

_PROGRAM = Path(sys.executable).with_name("nats-server")
STARTING = 60


class NatsServer:
    """One server process."""

    def __init__(self, port: int) -> None:
        self._port = port
        self.url = f"nats://127.0.0.1:{port}"
        self._process: asyncio.subprocess.Process | None = None

    async def comes_back(self) -> None:
        """Start, and wait until it listens."""
        self._process = await asyncio.create_subprocess_exec(
            *(_PROGRAM, "--addr", "127.0.0.1", "--port", str(self._port)), stderr=asyncio.subprocess.PIPE
        )
        assert self._process.stderr is not None
        async with asyncio.timeout(STARTING):
            while b"Server is ready" not in await self._process.stderr.readline():
                assert self._process.returncode is None

    async def dies(self) -> None:
        if self._process is not None and self._process.returncode is None:
            self._process.kill()
            await self._process.wait()

    def hangs(self) -> None:
        assert self._process is not None
        self._process.send_signal(signal.SIGSTOP)

    def goes_on(self) -> None:
        assert self._process is not None
        self._process.send_signal(signal.SIGCONT)


@asynccontextmanager
async def nats_server() -> AsyncGenerator[NatsServer]:
    server = NatsServer(free_port())
    try:
        await server.comes_back()
        yield server
    finally:
        await server.dies()
