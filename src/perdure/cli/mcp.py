"""`perdure mcp`: chats as tools of another agent, on standard input and output. What it asks goes to a server."""

import asyncio
import sys

import aiohttp

from perdure.cli.local import Deployment, local_replica
from perdure.cli.mcp_bridge import McpBridge
from perdure.cli.options import Token, Url
from perdure.core.timing import SystemClock
from perdure.observe.logs import start_logging
from perdure.settings import LogLevel, Settings

_LINE_LIMIT = 16 * 1024 * 1024


def command(
    url: Url = None,
    token: Token = None,
) -> None:
    # Standard output is the client's.
    start_logging(level=LogLevel.ERROR)
    asyncio.run(_serve(Deployment(url, token) if url else None))


async def _serve(place: Deployment | None) -> None:
    if place is None:
        async with local_replica(Settings.from_environment()) as local:
            await _talk(local)
    else:
        await _talk(place)


async def _talk(place: Deployment) -> None:
    reader = asyncio.StreamReader(limit=_LINE_LIMIT)
    await asyncio.get_running_loop().connect_read_pipe(lambda: asyncio.StreamReaderProtocol(reader), sys.stdin)
    async with aiohttp.ClientSession() as http:
        await McpBridge(http, place, _write, SystemClock()).run(reader)


def _write(line: bytes) -> None:
    sys.stdout.buffer.write(line)
    sys.stdout.buffer.flush()
