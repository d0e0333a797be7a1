"""The Agent Client Protocol over WebSockets: each connection is an editor, with a token of its own."""

import asyncio
from http import HTTPStatus
from uuid import uuid4

import aiohttp
from aiohttp import web

from perdure.cli.editor_sessions import EditorSessions
from perdure.cli.json_lines import JsonLines
from perdure.client import ApiError, Client
from perdure.settings import Address

PATH = "/acp"
MESSAGE_LIMIT = 64 * 1024 * 1024
UNREAD_LIMIT = 10_000
"""How many messages may wait for an editor that does not read."""
HEARTBEAT_S = 20
_BEARER = "Bearer "


async def listen(address: Address, server: str, model: str | None) -> web.AppRunner:
    """Take editors at an address. What they ask goes to a server."""

    async def take(request: web.Request) -> web.StreamResponse:
        token = request.headers.get("authorization", "")
        if not token.startswith(_BEARER):
            return web.json_response({"error": "Send a token."}, status=HTTPStatus.UNAUTHORIZED)
        async with Client(server, token=token.removeprefix(_BEARER)) as client:
            try:
                await client.models()
            except ApiError as error:
                return web.json_response({"error": str(error)}, status=error.status)
            socket = web.WebSocketResponse(heartbeat=HEARTBEAT_S, max_msg_size=MESSAGE_LIMIT)
            socket.headers["Acp-Connection-Id"] = uuid4().hex
            await socket.prepare(request)
            await Editor(socket).served(client, model)
            return socket

    app = web.Application()
    app.router.add_get(PATH, take)
    # An editor that is connected is not waited for: its chats go on without it.
    runner = web.AppRunner(app, shutdown_timeout=0)
    await runner.setup()
    await web.TCPSite(runner, address.host, address.port).start()
    return runner


class Editor:
    """One connection, as lines."""

    def __init__(self, socket: web.WebSocketResponse) -> None:
        self._socket = socket
        self._unread = asyncio.Queue[bytes](UNREAD_LIMIT)
        self._sending: asyncio.Task[None] | None = None

    async def served(self, client: Client, model: str | None) -> None:
        """Until the editor leaves, or no longer reads."""
        self._sending = asyncio.ensure_future(self._send())
        lines = JsonLines(self, self._write)
        EditorSessions(client, lines, model)
        try:
            await lines.run()
        finally:
            self._sending.cancel()

    async def readline(self) -> bytes:
        """The next message; nothing at the end."""
        while True:
            message = await self._socket.receive()
            if message.type is aiohttp.WSMsgType.TEXT:
                return message.data.encode()
            if message.type is not aiohttp.WSMsgType.BINARY:
                return b""

    def _write(self, line: bytes) -> None:
        try:
            self._unread.put_nowait(line)
        except asyncio.QueueFull:
            # It comes back and loads its sessions.
            assert self._sending is not None
            self._sending.cancel()

    async def _send(self) -> None:
        try:
            while True:
                await self._socket.send_str((await self._unread.get()).decode().rstrip("\n"))
        except (ConnectionError, asyncio.CancelledError):
            await asyncio.shield(self._socket.close())
