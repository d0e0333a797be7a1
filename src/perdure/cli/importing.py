"""`perdure import`: bring chats of other programs along."""

import asyncio
import sys
from collections import Counter
from collections.abc import Iterator
from contextlib import AsyncExitStack
from pathlib import Path
from typing import Annotated

import aiohttp
import typer

from perdure.cli.local import Deployment, local_replica
from perdure.cli.options import Token, Url
from perdure.client import ApiError, Client
from perdure.client.importing.conversation import Conversation, NotReadable
from perdure.client.importing.files import Source
from perdure.client.importing.sending import Sender
from perdure.core.errors import Misconfigured, PerdureError
from perdure.observe.logs import start_logging
from perdure.settings import LogLevel, Settings

PLACES = {
    "claude-code": ".claude/projects",
    "codex": ".codex/sessions",
    "opencode": ".local/share/opencode/opencode.db",
}
"""Where programs keep their sessions, below the home directory."""

_ENDINGS = (".jsonl", ".json", ".zip", ".db")
_WHAT = (
    "A file or a folder, or claude-code, codex or opencode for the sessions that these keep on this machine. Without "
    "it: all three."
)


def command(
    what: Annotated[list[str] | None, typer.Argument(help=_WHAT)] = None,
    url: Url = None,
    token: Token = None,
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="List what would be imported, and import nothing.")
    ] = False,
) -> None:
    """Import chats from other programs. What is there already is not added again."""
    start_logging(level=LogLevel.ERROR)
    if url and not url.startswith(("http://", "https://")):
        raise Misconfigured(f"--url is not usable: it must start with http:// or https://, and {url} does not.")
    paths = list(_paths(what or list(PLACES), named=bool(what)))
    if not paths:
        raise PerdureError("Found nothing to import.")
    if dry_run:
        raise typer.Exit(_list(paths))
    try:
        failed = asyncio.run(_import(paths, Deployment(url, token) if url else None))
    except aiohttp.ClientConnectorError as error:
        raise PerdureError(f"No answer at {url}. Is the server running, and is the address right?") from error
    except ApiError as error:
        raise PerdureError(str(error)) from error
    raise typer.Exit(1 if failed else 0)


def _paths(what: list[str], *, named: bool) -> Iterator[Path]:
    """The files, in an order that stays."""
    for each in what:
        path = Path.home() / PLACES[each] if each in PLACES else Path(each)
        if path.is_dir():
            yield from (file for file in sorted(path.rglob("*")) if file.suffix in _ENDINGS and file.is_file())
        elif path.exists():
            yield path
        elif named:
            raise PerdureError(f"There is no {path}.")


def _list(paths: list[Path]) -> int:
    failed = 0
    for path in paths:
        unread = Counter[str]()
        for chat in _read(Source(path)):
            if isinstance(chat, NotReadable):
                unread[str(chat)] += 1
            elif chat.nodes:
                typer.echo(f"{chat.source}  {chat.id}  {len(chat.nodes)} messages  {chat.title or chat.project}")
        _say_unread(path, unread)
        failed += unread.total()
    return 1 if failed else 0


def _say_unread(path: Path, unread: Counter[str]) -> None:
    """What cannot be read of a file: each reason once, however often it holds."""
    for reason, times in unread.items():
        typer.echo(f"{path}: {reason}{f' ({times} times)' if times > 1 else ''}", err=True)


def _read(source: Source) -> Iterator[Conversation | NotReadable]:
    try:
        yield from source.conversations()
    except NotReadable as error:
        yield error


async def _import(paths: list[Path], place: Deployment | None) -> int:
    counts, failed = Counter[str](), 0
    async with AsyncExitStack() as stack:
        if place is None:
            place = await stack.enter_async_context(local_replica(Settings.from_environment()))
        client = await stack.enter_async_context(Client(place.url, token=place.token, program="cli", timeout=300))
        for path in paths:
            source = Source(path)
            sender, unread = Sender(client.connection, source.attachment), Counter[str]()
            for chat in _read(source):
                if isinstance(chat, NotReadable):
                    unread[str(chat)] += 1
                else:
                    failed += not await _bring(sender, path, chat, counts)
            _say_unread(path, unread)
            failed += unread.total()
    said = ", ".join(
        f"{counts[name]} {name}" for name in ("created", "added", "apart", "unchanged", "deleted") if counts[name]
    )
    rest = f"; {failed} could not be read" if failed else ""
    typer.echo(f"{said or 'No chats'}; {counts['messages']} messages are new{rest}.")
    return failed


async def _bring(sender: Sender, path: Path, chat: Conversation, counts: Counter[str]) -> bool:
    """Bring one chat along. Whether that went well."""
    if not chat.nodes:
        return True
    try:
        brought = await sender.bring(chat)
    except ApiError as error:
        if error.status in (401, 403):
            raise
        typer.echo(f"{path}: {chat.id}: {error}", err=True)
        return False
    counts[brought.outcome] += 1
    counts["messages"] += brought.added
    if chat.skipped:
        typer.echo(f"{path}: {chat.skipped} lines are broken and were left out.", err=True)
    if brought.outcome != "unchanged":
        sys.stdout.flush()
        typer.echo(
            f"{brought.outcome:<9} {chat.source}  {chat.title or chat.project or chat.id}  {brought.chat_id or ''}"
        )
    return True
