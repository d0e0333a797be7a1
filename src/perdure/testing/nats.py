"""A real NATS server on a loopback port, which a test may stop, hang and start again."""

import asyncio
import sys
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from pathlib import Path

from perdure.testing.ports import free_port
from perdure.testing.server_process import ServerProcess

_PROGRAM = Path(sys.executable).with_name("nats-server")
STARTING = 60


class NatsServer(ServerProcess):
    """One server process."""

    def __init__(self, port: int) -> None:
        self._port = port
        self.url = f"nats://127.0.0.1:{port}"

    async def comes_back(self) -> None:
        """Start, and wait until it listens."""
        self.process = await asyncio.create_subprocess_exec(
            *(_PROGRAM, "--addr", "127.0.0.1", "--port", str(self._port)), stderr=asyncio.subprocess.PIPE
        )
        assert self.process.stderr is not None
        async with asyncio.timeout(STARTING):
            while b"Server is ready" not in await self.process.stderr.readline():
                assert self.process.returncode is None


@asynccontextmanager
async def nats_server() -> AsyncGenerator[NatsServer]:
    server = NatsServer(free_port())
    try:
        await server.comes_back()
        yield server
    finally:
        await server.dies()
