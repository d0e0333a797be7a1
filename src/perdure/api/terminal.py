"""`GET /workspaces/{workspace_id}/terminal`: a shell in a workspace over a WebSocket, resumed by its offset.

Binary frames are bytes, both ways. Text frames are JSON: `{"resize": {"cols", "rows"}}` from the client, and from us
`{"offset"}`, which says where in the session the next byte belongs. It comes first, and again where bytes were dropped.
"""

import asyncio
import contextlib
from dataclasses import dataclass
from urllib.parse import parse_qs
from uuid import UUID

import msgspec

from perdure.api.stream_access import StreamAccess
from perdure.core.errors import InvalidInput, NotFound, PerdureError, Refused, Unavailable, Validation, WorkspaceRefused
from perdure.core.ids import WorkspaceId
from perdure.core.timing import TERMINAL_BUSY, TERMINAL_BUSY_RETRY, WORKSPACE_SWEEP, Clock
from perdure.store.tables.workspaces import WorkspaceRow
from perdure.stream.access import Receive, Scope, Send
from perdure.stream.open_streams import DENIED, SLOW, OpenStream, OpenStreams
from perdure.stream.transport import abort, refuse
from perdure.workspaces.client import TerminalClient
from perdure.workspaces.service import Workspaces

PATTERN = r"/workspaces/(?P<workspace_id>[^/]+)/terminal"
COLUMNS, ROWS = 80, 24
NAME_CHARACTERS = 64
FRAME_BYTES = 64 * 1024
ENDED, STOPPED, INVALID = "ended", "stopped", "invalid"
CLOSE_CODES = {ENDED: 1000, INVALID: 4400, DENIED: 4403, SLOW: 4408, STOPPED: 4409}


class Size(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    cols: int
    rows: int


class Order(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What a client says besides what it types."""

    resize: Size


_orders = msgspec.json.Decoder(Order)


@dataclass(frozen=True, slots=True)
class Asked:
    """Which shell of which workspace, and where its output goes on."""

    workspace_id: WorkspaceId
    session: str
    offset: int


@dataclass(frozen=True, slots=True)
class Shell:
    """One shell, as long as this connection shows it."""

    terminals: TerminalClient
    id: str
    offset: int


class TerminalStream:
    """Terminals as an ASGI application."""

    def __init__(self, workspaces: Workspaces, open_streams: OpenStreams, access: StreamAccess, clock: Clock) -> None:
        self._workspaces = workspaces
        self._streams = open_streams
        self._access = access
        self._clock = clock

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        try:
            asked = _asked(scope)
            admission, row = await self._access.enter_workspace(scope, asked.workspace_id)
            if scope["type"] != "websocket":
                raise InvalidInput("A terminal needs a WebSocket upgrade.")
            shell = await self._shell(asked, row)
        except PerdureError as error:
            await refuse(self._access, error, scope, receive, send)
            return
        stream = OpenStream(admission, self._streams.now())
        using = asyncio.ensure_future(self._use(row))
        self._streams.add(stream)
        self._workspaces.measures.terminals.inc()
        try:
            await self._converse(shell, stream, receive, send)
        finally:
            self._workspaces.measures.terminals.dec()
            self._streams.discard(stream)
            using.cancel()

    async def _shell(self, asked: Asked, row: WorkspaceRow) -> Shell:
        """Whoever opens a terminal starts the workspace. A broken connection that comes back does not."""
        if asked.offset and row.status != "running":
            raise Refused("The workspace is stopped. Start it first.")
        client = await self._workspaces.client(row)
        terminal = await client.terminals.open(COLUMNS, ROWS, asked.session)
        # A shell that printed less than was seen is another one than the one that was seen.
        offset = asked.offset if asked.offset <= terminal.total_bytes else 0
        return Shell(client.terminals, terminal.id, offset)

    async def _use(self, row: WorkspaceRow) -> None:
        """A workspace with an open terminal is not idle."""
        while True:
            await self._clock.sleep(WORKSPACE_SWEEP.total_seconds())
            await self._workspaces.touch(row.id)

    async def _converse(self, shell: Shell, stream: OpenStream, receive: Receive, send: Send) -> None:
        writer = asyncio.ensure_future(_show(shell, stream, self._streams, send))
        stream.writes(writer)
        try:
            await self._listen(shell, receive, writer)
        except InvalidInput:
            stream.end(INVALID)
        except PerdureError:
            stream.end(STOPPED)
        else:
            writer.cancel()
        with contextlib.suppress(asyncio.CancelledError, OSError):
            await writer

    async def _listen(self, shell: Shell, receive: Receive, writer: "asyncio.Task[None]") -> None:
        """Hand on what the client types, until it is gone."""
        await receive()
        while not writer.done():
            frame = await receive()
            if frame["type"] == "websocket.disconnect":
                return
            if content := frame.get("bytes"):
                for start in range(0, len(content), FRAME_BYTES):
                    await self._type(shell, content[start : start + FRAME_BYTES])
            elif text := frame.get("text"):
                size = _order(text).resize
                await shell.terminals.resize(shell.id, size.cols, size.rows)

    async def _type(self, shell: Shell, content: bytes) -> None:
        """While the shell is busy the client waits, for a while."""
        patience = self._clock.monotonic() + TERMINAL_BUSY.total_seconds()
        while True:
            try:
                return await shell.terminals.type(shell.id, content)
            except WorkspaceRefused as error:
                if error.code != "busy" or self._clock.monotonic() > patience:
                    raise
            await self._clock.sleep(TERMINAL_BUSY_RETRY.total_seconds())


async def _show(shell: Shell, stream: OpenStream, open_streams: OpenStreams, send: Send) -> None:
    """Send what the shell prints; say why it ends."""
    await send({"type": "websocket.accept"})
    reason = ENDED
    try:
        expected = shell.offset
        await _tell(send, expected)
        async with contextlib.aclosing(shell.terminals.follow(shell.id, shell.offset)) as frames:
            async for frame in frames:
                stream.sending_since = stream.sent_at = open_streams.now()
                if frame.offset != expected:
                    await _tell(send, frame.offset)
                await send({"type": "websocket.send", "bytes": frame.content})
                stream.sending_since = None
                expected = frame.offset + len(frame.content)
    except Unavailable:
        reason = STOPPED
    except asyncio.CancelledError:
        if not stream.reason:
            raise
        reason = stream.reason
    if reason == SLOW:
        abort(send)
    await send({"type": "websocket.close", "code": CLOSE_CODES[reason], "reason": reason})


async def _tell(send: Send, offset: int) -> None:
    await send({"type": "websocket.send", "text": msgspec.json.encode({"offset": offset}).decode()})


def _order(text: str) -> Order:
    try:
        order = _orders.decode(text)
    except (msgspec.DecodeError, UnicodeEncodeError) as error:
        raise InvalidInput("This is not a valid terminal command.") from error
    if not (2 <= order.resize.cols <= 1000 and 2 <= order.resize.rows <= 1000):
        raise InvalidInput("A terminal needs 2 to 1000 columns and rows.")
    return order


def _asked(scope: Scope) -> Asked:
    query = parse_qs(scope["query_string"].decode("latin-1"))
    session, offset = query.get("session", [""])[-1], query.get("offset", ["0"])[-1]
    if not session or len(session) > NAME_CHARACTERS:
        detail = f"a name of 1 to {NAME_CHARACTERS} characters"
        raise InvalidInput("A terminal needs a session.", Validation("session", detail))
    if not (offset.isascii() and offset.isdigit() and len(offset) <= 17):
        raise InvalidInput("The offset is not valid.", Validation("offset", "must be a number of bytes"))
    try:
        return Asked(WorkspaceId(UUID(scope["path_params"]["workspace_id"])), session, int(offset))
    except ValueError:
        raise NotFound("Workspace not found.") from None
