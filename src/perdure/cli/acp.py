"""`perdure acp`: an agent for editors, on standard input and output. What it is asked goes to a server."""

import asyncio
import signal
import sys
from typing import Annotated

import typer

from perdure.cli.acp_listener import PATH
from perdure.cli.acp_listener import listen as listen_at
from perdure.cli.editor_sessions import EditorSessions
from perdure.cli.json_lines import JsonLines
from perdure.cli.local import Deployment, local_replica
from perdure.cli.options import Token, Url
from perdure.client import Client
from perdure.observe.logs import start_logging
from perdure.settings import Address, LogLevel, Settings

_LINE_LIMIT = 64 * 1024 * 1024


def command(
    url: Url = None,
    token: Token = None,
    model: Annotated[str | None, typer.Option(help="The model for new sessions.")] = None,
    listen: Annotated[
        str | None,
        typer.Option(
            metavar="HOST:PORT",
            help="Take editors over WebSockets at this address, each with a token, instead of one on standard input.",
        ),
    ] = None,
) -> None:
    # Standard output is the editor's.
    start_logging(level=LogLevel.ERROR)
    if listen is not None:
        settings = Settings.from_environment()
        server = (url or settings.reached_at(settings.bind)).rstrip("/")
        asyncio.run(_listen(Address.parse(listen), server, model))
    else:
        asyncio.run(_serve(Deployment(url, token) if url else None, model))


async def _serve(place: Deployment | None, model: str | None) -> None:
    if place is None:
        async with local_replica(Settings.from_environment()) as local:
            await _talk(local, model)
    else:
        await _talk(place, model)


async def _listen(address: Address, server: str, model: str | None) -> None:
    runner = await listen_at(address, server, model)
    host, port = runner.addresses[0][:2]
    typer.echo(f"ready at ws://{host}:{port}{PATH}")
    stop = asyncio.Event()
    for number in (signal.SIGINT, signal.SIGTERM):
        asyncio.get_running_loop().add_signal_handler(number, stop.set)
    await stop.wait()
    await runner.cleanup()


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
