"""`perdure acp`: an agent for editors, on standard input and output. What it is asked goes to a server."""

import asyncio
import sys
from typing import Annotated

import typer

from perdure.cli.editor_sessions import EditorSessions
from perdure.cli.json_lines import JsonLines
from perdure.cli.local import Deployment, local_replica
from perdure.client import Client
from perdure.observe.logs import start_logging
from perdure.settings import LogLevel, Settings

_LINE_LIMIT = 64 * 1024 * 1024


def command(
    url: Annotated[
        str | None, typer.Option(envvar="PERDURE_URL", help="The server's URL. Defaults to the server on this machine.")
    ] = None,
    token: Annotated[
        str | None, typer.Option(envvar="PERDURE_TOKEN", help="An API token for that server.", show_default=False)
    ] = None,
    model: Annotated[str | None, typer.Option(help="The model for new sessions.")] = None,
) -> None:
    # Standard output is the editor's.
    start_logging(level=LogLevel.ERROR)
    asyncio.run(_serve(Deployment(url, token) if url else None, model))


async def _serve(place: Deployment | None, model: str | None) -> None:
    if place is None:
        async with local_replica(Settings.from_environment()) as local:
            await _talk(local, model)
    else:
        await _talk(place, model)


async def _talk(place: Deployment, model: str | None) -> None:
    reader = asyncio.StreamReader(limit=_LINE_LIMIT)
    await asyncio.get_running_loop().connect_read_pipe(lambda: asyncio.StreamReaderProtocol(reader), sys.stdin)
    lines = JsonLines(reader, _write)
    async with Client(place.url, token=place.token) as client:
        EditorSessions(client, lines, model)
        await lines.run()


def _write(line: bytes) -> None:
    sys.stdout.buffer.write(line)
    sys.stdout.buffer.flush()
