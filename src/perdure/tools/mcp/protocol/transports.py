"""The three transports of the protocol: streamable HTTP, SSE, and the pipe of a command in a workspace."""

import asyncio
from collections.abc import AsyncGenerator, AsyncIterator
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from datetime import timedelta
from http import HTTPStatus

import anyio
import httpx2
import mcp_types
from anyio.streams.memory import MemoryObjectReceiveStream, MemoryObjectSendStream
from mcp.client._transport import TransportStreams
from mcp.client.auth.utils import extract_field_from_www_auth, extract_scope_from_www_auth
from mcp.client.sse import sse_client
from mcp.client.streamable_http import streamable_http_client
from mcp.shared._httpx_utils import McpHttpClientFactory
from mcp.shared.message import SessionMessage

from perdure.config.mcp import Transport
from perdure.core.errors import PerdureError
from perdure.core.timing import MCP_CONNECT
from perdure.tools.mcp.messages import Unreachable
from perdure.tools.mcp.transport import TransportOptions
from perdure.workspaces.client import WorkspaceClient

MCP_STREAM_SILENCE = timedelta(minutes=5)
COMPLAINT = 500
LONGEST_LINE = 16 * 1024 * 1024
_TIMEOUT = httpx2.Timeout(MCP_CONNECT.total_seconds(), read=MCP_STREAM_SILENCE.total_seconds())


class TransportState:
    """What the transport knows and the package does not hand on."""

    status: int | None = None
    """What HTTP said last, where that is not good."""
    over: bool = False
    """Whether nothing more can be asked here."""


class BoundedBody(httpx2.AsyncByteStream):
    """A body that ends where it becomes too much: an answer as a whole, of a stream each event."""

    def __init__(self, body: httpx2.AsyncByteStream, *, events: bool) -> None:
        self._body = body
        self._events = events

    async def __aiter__(self) -> AsyncIterator[bytes]:
        size, before = 0, b""
        async for piece in self._body:
            size += len(piece)
            # An event's end may be cut in two.
            seen = before + piece
            end = max(seen.rfind(mark) for mark in (b"\n\n", b"\r\n\r\n", b"\r\r"))
            if end >= 0 and self._events:
                size = len(seen) - end
            if size > LONGEST_LINE:
                raise Unreachable(f"it answered more than {LONGEST_LINE} bytes at once")
            before = seen[-3:]
            yield piece

    async def aclose(self) -> None:
        await self._body.aclose()


async def bound(response: httpx2.Response) -> None:
    """Let no answer be more than there is memory for."""
    if response.headers.get("content-encoding", "identity") != "identity":
        # A few bytes may stand for many.
        raise Unreachable("it answers in an encoding that it was not asked for")
    assert isinstance(response.stream, httpx2.AsyncByteStream)
    events = response.headers.get("content-type", "").startswith("text/event-stream")
    response.stream = BoundedBody(response.stream, events=events)


def transport(options: TransportOptions, state: TransportState) -> AbstractAsyncContextManager[TransportStreams]:
    match options.transport:
        case Transport.HTTP:
            return _over_http(options, state)
        case Transport.SSE:
            return sse_client(options.url, httpx_client_factory=_factory(options, state))
        case Transport.STDIO:
            return _over_stdio(options, state)


def _factory(options: TransportOptions, state: TransportState) -> McpHttpClientFactory:
    def made(
        headers: dict[str, str] | None = None,  # noqa: ARG001
        timeout: httpx2.Timeout | None = None,  # noqa: ARG001
        auth: httpx2.Auth | None = None,  # noqa: ARG001
    ) -> httpx2.AsyncClient:
        return http_client(options, state)

    return made


def http_client(options: TransportOptions, state: TransportState) -> httpx2.AsyncClient:
    async def check(response: httpx2.Response) -> None:
        state.status = response.status_code if response.status_code >= 400 else None
        if response.status_code == HTTPStatus.FORBIDDEN and options.wants is not None:
            scope = extract_scope_from_www_auth(response)
            if scope and extract_field_from_www_auth(response, "error") == "insufficient_scope":
                await options.wants(scope)
        await bound(response)

    async def signed(request: httpx2.Request) -> None:
        if options.token is not None:
            request.headers["Authorization"] = f"Bearer {await options.token()}"

    return httpx2.AsyncClient(
        headers={"accept-encoding": "identity", **options.headers},
        timeout=_TIMEOUT,
        proxy=options.network.proxy(options.url),
        verify=options.network.trusted or True,
        trust_env=False,
        event_hooks={"request": [signed], "response": [check]},
    )


@asynccontextmanager
async def _over_http(options: TransportOptions, state: TransportState) -> AsyncGenerator[TransportStreams]:
    async with (
        http_client(options, state) as client,
        streamable_http_client(options.url, http_client=client) as streams,
    ):
        yield streams


@asynccontextmanager
async def _over_stdio(options: TransportOptions, state: TransportState) -> AsyncGenerator[TransportStreams]:
    """To a command inside the workspace. It ends when we stop listening."""
    assert options.workspace is not None
    try:
        workspace = await options.workspace()
        pipe = await workspace.pipes.open(options.command, dict(options.environment))
    except PerdureError as error:
        raise Unreachable(str(error)) from error
    received, reading = anyio.create_memory_object_stream[SessionMessage | Exception](0)
    writing, to_send = anyio.create_memory_object_stream[SessionMessage](0)
    async with asyncio.TaskGroup() as group:
        tasks = [
            group.create_task(_receive(workspace, pipe.id, received, state)),
            group.create_task(_send(workspace, pipe.id, to_send)),
        ]
        try:
            yield reading, writing
        finally:
            for task in tasks:
                task.cancel()
            for stream in (received, reading, writing, to_send):
                stream.close()


async def _receive(
    workspace: WorkspaceClient,
    pipe: str,
    received: MemoryObjectSendStream[SessionMessage | Exception],
    state: TransportState,
) -> None:
    async with received:
        line = bytearray()
        async for frame in workspace.pipes.follow(pipe):
            *lines, rest = frame.content.split(b"\n")
            for content in lines:
                if (message := _message(bytes(line + content))) is not None:
                    await received.send(message)
                line.clear()
            line += rest
            if len(line) > LONGEST_LINE:
                raise Unreachable(f"it printed a line of more than {LONGEST_LINE} bytes")
        state.over = True
        complaints = (await workspace.pipes.look(pipe)).complaints.strip()
        raise Unreachable(f"its command ended{': ' if complaints else ''}{complaints[-COMPLAINT:]}")


def _message(line: bytes) -> SessionMessage | None:
    """What a line says. Servers print all sorts of things; what is no message is not for us."""
    try:
        return SessionMessage(mcp_types.jsonrpc_message_adapter.validate_json(line, by_name=False))
    except ValueError:
        return None


async def _send(workspace: WorkspaceClient, pipe: str, to_send: MemoryObjectReceiveStream[SessionMessage]) -> None:
    async with to_send:
        async for outgoing in to_send:
            text = outgoing.message.model_dump_json(by_alias=True, exclude_unset=True)
            await workspace.pipes.write(pipe, text.encode() + b"\n")
