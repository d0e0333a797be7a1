"""One request to what is served in a workspace, and its answer: passed on piece by piece, never held."""

import asyncio
import contextlib
from collections.abc import AsyncIterator

import aiohttp
from yarl import URL

from perdure.api.preview.headers import Headers, Shown, returned, sent
from perdure.core.errors import Unavailable, WorkspaceUnreachable
from perdure.core.timing import PREVIEW_HEAD
from perdure.store.tables.workspaces import WorkspaceRow
from perdure.stream.access import Receive, Scope, Send
from perdure.stream.transport import abort
from perdure.workspaces.service import Workspaces

PIECE_BYTES = 64 * 1024


class Begun(Exception):
    """An answer broke off when a part of it had been passed on: nothing but its end can be said."""


def headers_in(scope: Scope) -> Headers:
    return [(name.decode("latin-1").lower(), value.decode("latin-1")) for name, value in scope["headers"]]


def target(scope: Scope, shown: Shown, scheme: str = "http") -> URL:
    """The address inside. Whatever the request named, it is that of the port."""
    raw = scope.get("raw_path") or scope["path"].encode()
    path = raw.decode("latin-1").partition("?")[0][len(shown.base) :].lstrip("/")
    query = scope["query_string"].decode("latin-1")
    return URL(f"{scheme}://{shown.inside}/{path}{'?' if query else ''}{query}", encoded=True)


async def exchange(
    workspaces: Workspaces, row: WorkspaceRow, shown: Shown, scope: Scope, receive: Receive, send: Send
) -> None:
    """Pass a request on, and its answer back, until one of the two sides has gone."""
    headers = headers_in(scope)
    bodied = any(name == "transfer-encoding" or (name == "content-length" and value != "0") for name, value in headers)
    said = asyncio.Event()
    body = _body(receive, said) if bodied else None
    if not bodied:
        said.set()
    passing = asyncio.ensure_future(_pass(workspaces, row, shown, scope, headers, body, send))
    leaving = asyncio.ensure_future(_left(receive, said))
    try:
        await asyncio.wait({passing, leaving}, return_when=asyncio.FIRST_COMPLETED)
        if passing.done():
            passing.result()
    finally:
        for task in (passing, leaving):
            task.cancel()
        await asyncio.wait({passing, leaving})


async def _pass(
    workspaces: Workspaces,
    row: WorkspaceRow,
    shown: Shown,
    scope: Scope,
    headers: Headers,
    body: AsyncIterator[bytes] | None,
    send: Send,
) -> None:
    request: dict[str, object] = {"headers": sent(headers, shown), "data": body, "allow_redirects": False}
    try:
        async with asyncio.timeout(PREVIEW_HEAD.total_seconds()) as patience:
            answer = await _asked(workspaces, row, shown, scope, request)
            patience.reschedule(None)
    except (aiohttp.ClientError, OSError, TimeoutError) as error:
        raise Unavailable(f"What listens on port {shown.port} sent a response that is not valid HTTP.") from error
    async with answer:
        back = [(name.decode("latin-1").lower(), value.decode("latin-1")) for name, value in answer.raw_headers]
        await send({"type": "http.response.start", "status": answer.status, "headers": encoded(returned(back, shown))})
        try:
            async for piece in answer.content.iter_chunked(PIECE_BYTES):
                await send({"type": "http.response.body", "body": piece, "more_body": True})
        except (aiohttp.ClientError, OSError) as error:
            # An answer that ends as if it were whole would be believed.
            abort(send)
            raise Begun from error
        await send({"type": "http.response.body", "body": b""})


async def _asked(
    workspaces: Workspaces, row: WorkspaceRow, shown: Shown, scope: Scope, request: dict[str, object]
) -> aiohttp.ClientResponse:
    address = target(scope, shown)
    for anew in (False, True):
        session = await workspaces.port(row, shown.port, anew=anew)
        try:
            return await session.request(scope["method"], address, **request)  # pyright: ignore[reportArgumentType]
        except (WorkspaceUnreachable, RuntimeError):
            # The way in was lost before anything was sent.
            if anew:
                raise
    raise AssertionError


async def _body(receive: Receive, said: asyncio.Event) -> AsyncIterator[bytes]:
    while True:
        event = await receive()
        if event["type"] == "http.disconnect":
            raise ConnectionResetError
        if content := event.get("body", b""):
            yield content
        if not event.get("more_body"):
            said.set()
            return


async def _left(receive: Receive, said: asyncio.Event) -> None:
    """Wait until the browser has gone. While it speaks, whoever listens hears that."""
    await said.wait()
    with contextlib.suppress(ConnectionError):
        while (await receive())["type"] != "http.disconnect":
            pass


def encoded(headers: Headers) -> list[tuple[bytes, bytes]]:
    return [(name.encode("latin-1"), value.encode("latin-1")) for name, value in headers]
