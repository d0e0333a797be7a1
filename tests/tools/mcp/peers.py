"""Real MCP servers as processes of their own, and how a chat reaches them."""

import asyncio
import os
import sys
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from datetime import timedelta
from pathlib import Path
from typing import Any
from uuid import uuid4

import msgspec

from perdure.access.keyring import Keyring
from perdure.config.mcp import McpOptions
from perdure.core.ids import McpServerId
from perdure.core.timing import SystemClock
from perdure.store.pool import Pool
from perdure.testing.polling import seen
from perdure.testing.ports import free_port
from perdure.testing.replica import InProcessReplica
from perdure.tools.mcp.connection import Connection
from perdure.tools.mcp.messages import CallResult
from perdure.tools.mcp.services import make_mcp_services
from perdure.workspaces.service import Workspaces

PEERS = Path(__file__).parents[2] / "peers"
BIN = PEERS / "node_modules" / ".bin"
WORKBENCH = str(PEERS / "workbench.py")
PATIENCE = 60


async def called(connection: Connection, tool: str, arguments: dict[str, Any]) -> CallResult:
    """What a call comes to that is no task."""
    result = await connection.call(tool, arguments, lambda _: None)
    assert isinstance(result, CallResult)
    return result


class Peer:
    """A server that listens on a port, can be killed, and started again."""

    def __init__(self, *command: str, port: int) -> None:
        self._command = command
        self.port = port
        self.process: asyncio.subprocess.Process | None = None

    async def starts(self) -> None:
        self.process = await asyncio.create_subprocess_exec(
            *self._command,
            stdout=asyncio.subprocess.DEVNULL,
            stderr=asyncio.subprocess.DEVNULL,
        )
        await seen(self._listens, within=timedelta(seconds=PATIENCE))

    async def _listens(self) -> bool:
        try:
            _, writer = await asyncio.open_connection("127.0.0.1", self.port)
        except OSError:
            return False
        writer.close()
        return True

    async def is_killed(self) -> None:
        assert self.process is not None
        if self.process.returncode is None:
            self.process.kill()
        await self.process.wait()


@asynccontextmanager
async def peer(*command: str, port: int) -> AsyncGenerator[Peer]:
    found = Peer(*command, port=port)
    await found.starts()
    try:
        yield found
    finally:
        await found.is_killed()


@asynccontextmanager
async def everything() -> AsyncGenerator[Peer]:
    """The reference server, over streamable HTTP."""
    port = free_port()
    program = str(BIN / "mcp-server-everything")
    async with peer("env", f"PORT={port}", program, "streamableHttp", port=port) as found:
        yield found


@asynccontextmanager
async def workbench(kind: str = "http", ledger: Path | None = None) -> AsyncGenerator[Peer]:
    """The server made with the Python package."""
    port = free_port()
    async with peer(sys.executable, WORKBENCH, kind, str(port), str(ledger or os.devnull), port=port) as found:
        yield found


class Bridge:
    """The MCP side of a replica."""

    def __init__(self, replica: InProcessReplica, pool: Pool, workspaces: Workspaces | None = None) -> None:
        self.replica = replica
        self.pool = pool
        self.numbers = replica.numbers
        keyring, clock = Keyring.of(["a secret key that only tests use"]), SystemClock()
        self.services = make_mcp_services(pool, replica.config, keyring, clock, replica.measures.mcp, workspaces)
        replica.servers.source = self.services.tools

    async def add(self, slug: str, **options: Any) -> McpServerId:
        server_id = McpServerId(uuid4())
        await self.pool.execute(
            "INSERT INTO mcp_servers (id, organisation_id, slug, options) VALUES ($1, $2, $3, $4)",
            server_id,
            self.replica.organisation,
            slug,
            msgspec.json.encode(McpOptions(**options)).decode(),
        )
        self.replica.config.changed(self.replica.organisation)
        return server_id
