"""`perdure chat`: talk to an agent from a terminal, or ask it one thing from a script."""

import asyncio
import shutil
import sys
from contextlib import AsyncExitStack
from http import HTTPStatus
from typing import Annotated

import aiohttp
import typer

from perdure.cli.conversation import Conversation, somebody_types
from perdure.cli.local import Deployment, local_replica
from perdure.cli.options import Token, Url
from perdure.cli.progress import progress
from perdure.client import ApiError, Client
from perdure.core.errors import Misconfigured, PerdureError
from perdure.core.text import encodable
from perdure.observe.logs import start_logging
from perdure.settings import LogLevel, Settings

_WHO_ASKS = "Name a token with --token or in PERDURE_TOKEN; `perdure tokens add NAME` on the server makes one."


def command(
    text: Annotated[
        str | None, typer.Argument(help="Send this, print the answer and exit. `-` reads standard input.")
    ] = None,
    chat: Annotated[str | None, typer.Option(help="Continue this chat.")] = None,
    model: Annotated[str | None, typer.Option(help="The model to use.")] = None,
    url: Url = None,
    token: Token = None,
) -> None:
    start_logging(level=LogLevel.ERROR)
    # Whatever is piped in or typed is sent as text.
    sys.stdin.reconfigure(errors="replace")  # pyright: ignore[reportAttributeAccessIssue, reportUnknownMemberType]
    asked = sys.stdin.read() if text == "-" else text and encodable(text)
    if url and not url.startswith(("http://", "https://")):
        raise Misconfigured(f"--url is not usable: it must start with http:// or https://, and {url} does not.")
    try:
        code = asyncio.run(_chat(Deployment(url, token) if url else None, asked, chat, model))
    except ApiError as error:
        advice = f" {_WHO_ASKS}" if error.status == HTTPStatus.UNAUTHORIZED else ""
        raise PerdureError(f"{error}{advice}") from error
    except aiohttp.ClientConnectorError as error:
        raise PerdureError(f"No answer at {url}. Is the server running, and is the address right?") from error
    except (aiohttp.ClientError, TimeoutError) as error:
        raise PerdureError(str(error)) from error
    raise typer.Exit(code)


async def _chat(place: Deployment | None, asked: str | None, chat_id: str | None, model: str | None) -> int:
    async with AsyncExitStack() as stack:
        here = place is None
        if place is None:
            with progress("starting"):
                place = await stack.enter_async_context(local_replica(Settings.from_environment()))
        client = await stack.enter_async_context(Client(place.url, token=place.token, program="cli"))
        conversation = Conversation(client, model, here=here, again=_again(None if here else place.url))
        if chat_id is not None:
            await conversation.resume(chat_id, recall=asked is None and somebody_types())
        return await (conversation.talk() if asked is None else conversation.ask(asked))


def _again(url: str | None) -> str:
    """This command, as it can be typed here: its folder need not be among those that are searched."""
    program = "perdure" if shutil.which("perdure") else sys.argv[0]
    return f"{program} chat" if url is None else f"{program} chat --url {url}"
