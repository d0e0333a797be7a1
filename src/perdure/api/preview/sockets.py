"""A WebSocket to what is served in a workspace: messages passed on both ways, ends too."""

import asyncio
import contextlib
from typing import Any, TypeAlias

import aiohttp
from aiohttp import WSMsgType

from perdure.api.preview.exchange import headers_in, target
from perdure.api.preview.headers import Shown, sent
from perdure.core.errors import NotAllowed, Unavailable, WorkspaceUnreachable
from perdure.core.timing import PREVIEW_HEAD
from perdure.store.tables.workspaces import WorkspaceRow
from perdure.stream.access import Receive, Scope, Send
from perdure.workspaces.service import Workspaces

MESSAGE_BYTES = 16 * 1024 * 1024
UNSAID = frozenset({1005, 1006, 1015})
"""Codes that no side may send."""
Socket: TypeAlias = "aiohttp.ClientWebSocketResponse[bool]"


async def join(
    workspaces: Workspaces, row: WorkspaceRow, shown: Shown, scope: Scope, receive: Receive, send: Send
) -> None:
    """Only a page of this very preview gets a socket: a browser opens one for whoever asks."""
    origin = dict(headers_in(scope)).get("origin")
    if origin != shown.origin:
        raise NotAllowed("This WebSocket was not opened by the preview's own page.")
    async with await _opened(workspaces, row, shown, scope) as inside:
        await receive()
        await send({"type": "websocket.accept", "subprotocol": inside.protocol})
        ways = [asyncio.ensure_future(_in(receive, inside)), asyncio.ensure_future(_out(inside, send))]
        try:
            await asyncio.wait(ways, return_when=asyncio.FIRST_COMPLETED)
        finally:
            for way in ways:
                way.cancel()
            await asyncio.wait(ways)


async def _opened(workspaces: Workspaces, row: WorkspaceRow, shown: Shown, scope: Scope) -> Any:
    address, headers = target(scope, shown), sent(headers_in(scope), shown)
    for anew in (False, True):
        session = await workspaces.port(row, shown.port, anew=anew)
        try:
            async with asyncio.timeout(PREVIEW_HEAD.total_seconds()):
                return await session.ws_connect(
                    address,
                    headers=headers,
                    protocols=scope.get("subprotocols") or (),
                    max_msg_size=MESSAGE_BYTES,
                )
        except (WorkspaceUnreachable, RuntimeError):
            if anew:
                raise
        except (aiohttp.ClientError, OSError, TimeoutError) as error:
            raise Unavailable(f"What listens on port {shown.port} does not accept a WebSocket there.") from error
    raise AssertionError


async def _in(receive: Receive, inside: Socket) -> None:
    with contextlib.suppress(ConnectionError):
        while True:
            event = await receive()
            if event["type"] == "websocket.disconnect":
                await inside.close(code=_code(event.get("code")))
                return
            if event.get("bytes") is not None:
                await inside.send_bytes(event["bytes"])
            elif event.get("text") is not None:
                await inside.send_str(event["text"])


async def _out(inside: Socket, send: Send) -> None:
    with contextlib.suppress(OSError):
        async for message in inside:
            if message.type is WSMsgType.BINARY:
                await send({"type": "websocket.send", "bytes": message.data})
            elif message.type is WSMsgType.TEXT:
                await send({"type": "websocket.send", "text": message.data})
        await send({"type": "websocket.close", "code": _code(inside.close_code)})


def _code(said: int | None) -> int:
    return 1000 if said is None or said in UNSAID else said
