"""`perdure faces`: where other programs reach a running server, each in its own protocol, and a token for them."""

import asyncio
from http import HTTPStatus
from typing import Annotated

import aiohttp
import typer

from perdure.access.signing_in import FIRST_EMAIL
from perdure.cli.tokens import made_token
from perdure.core.errors import Unavailable
from perdure.core.timing import REQUEST_CONNECT
from perdure.settings import Settings

_ADDRESSES = (
    ("OpenAI", "{url}/v1"),
    ("AI SDK", "{url}/ai/chat"),
    ("AG-UI", "{url}/ag-ui/MODEL"),
    ("MCP", "{url}/mcp"),
    ("A2A", "{url}/.well-known/agent-card.json"),
    ("ACP", "perdure acp --url {url}"),
)


def command(
    url: Annotated[str | None, typer.Option(help="The server's URL. Defaults to the server on this machine.")] = None,
    email: Annotated[str, typer.Option(help="The user whom the token belongs to.")] = FIRST_EMAIL,
) -> None:
    settings = Settings.from_environment()
    address = (url or settings.reached_at(settings.bind)).rstrip("/")
    asyncio.run(_look(address))
    token = made_token("perdure faces", email)
    for name, where in (*_ADDRESSES, ("token", token)):
        typer.echo(f"{name:<8}{where.format(url=address)}")


async def _look(address: str) -> None:
    """Nothing is made for a server that does not answer."""
    timeout = aiohttp.ClientTimeout(total=REQUEST_CONNECT.total_seconds())
    try:
        async with aiohttp.ClientSession(timeout=timeout) as http, http.get(f"{address}/readyz") as answer:
            if answer.status == HTTPStatus.OK:
                return
    except (aiohttp.ClientError, TimeoutError, ValueError):
        pass
    raise Unavailable(f"No server is ready at {address}. Start one with 'perdure serve', or name another with --url.")
