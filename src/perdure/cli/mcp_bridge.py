"""The Model Context Protocol on lines of text, handed to a server's `/mcp` and back."""

import asyncio
import base64
from collections.abc import AsyncIterator, Callable
from datetime import timedelta
from http import HTTPStatus
from typing import Any
from uuid import uuid4

import aiohttp
import msgspec

from perdure.cli.local import Deployment
from perdure.core.tasks import Backoff
from perdure.core.timing import Clock

RETRY_FIRST, RETRY_LONGEST = timedelta(milliseconds=200), timedelta(seconds=5)
TRIES = 30
"""About two minutes: a server that restarts is back by then."""
UNREACHABLE, PARSE = -32000, -32700
KEYED = frozenset({"begin_chat", "continue_chat"})
_NAMES = {"tools/call": "name", "tasks/get": "taskId", "tasks/update": "taskId", "tasks/cancel": "taskId"}
_AGAIN = frozenset({HTTPStatus.BAD_GATEWAY, HTTPStatus.SERVICE_UNAVAILABLE, HTTPStatus.GATEWAY_TIMEOUT})
_TIMEOUT = aiohttp.ClientTimeout(total=None, sock_connect=10)


class Unanswered(Exception):
    """The server could not be reached, or left in the middle of its answer."""


class McpBridge:
    """Serves one client. A server that goes away is asked again: calls carry keys, so that nothing happens twice."""

    def __init__(
        self, http: aiohttp.ClientSession, place: Deployment, write: Callable[[bytes], None], clock: Clock
    ) -> None:
        self._http = http
        self._url = f"{place.url.rstrip('/')}/mcp"
        self._token = place.token
        self._write = write
        self._clock = clock
        self._agreed: dict[str, str] = {}
        """What an older client's handshake came to, as headers."""
        self._running: dict[object, asyncio.Task[None]] = {}

    async def run(self, reader: asyncio.StreamReader) -> None:
        """Until the client closes. What it waits for goes on at the server."""
        try:
            while line := await reader.readline():
                if line.strip():
                    self._take(line)
        finally:
            for task in [*self._running.values()]:
                task.cancel()

    def _take(self, line: bytes) -> None:
        try:
            message = msgspec.json.decode(line, type=dict[str, Any])
        except (msgspec.DecodeError, UnicodeDecodeError):
            self._refuse(None, PARSE, "This is not JSON.")
            return
        number = message.get("id")
        if message.get("method") == "notifications/cancelled":
            self._cancel(message.get("params"))
            return
        name: object = number if number is not None and "method" in message else object()
        task = self._running[name] = asyncio.ensure_future(self._forward(_keyed(message)))
        task.add_done_callback(lambda _: self._running.pop(name, None))

    def _cancel(self, params: Any) -> None:
        """Nobody waits for an answer any more. What it asked for goes on."""
        match params:
            case {"requestId": int() | str() as number} if number in self._running:
                self._running[number].cancel()
            case _:
                pass

    async def _forward(self, message: dict[str, Any]) -> None:
        backoff = Backoff(RETRY_FIRST, RETRY_LONGEST)
        trouble = ""
        for _ in range(TRIES):
            try:
                async for answer in self._answers(message):
                    self._write(msgspec.json.encode(answer) + b"\n")
                return
            except (Unanswered, aiohttp.ClientError, OSError) as error:
                trouble = str(error) or type(error).__name__
            await backoff.wait(self._clock)
        if "id" in message and "method" in message:
            self._refuse(message["id"], UNREACHABLE, f"The server cannot be reached: {trouble}.")

    async def _answers(self, message: dict[str, Any]) -> AsyncIterator[dict[str, Any]]:
        """What the server says to a message: at last its answer, if it is one that is answered."""
        body = msgspec.json.encode(message)
        async with self._http.post(self._url, data=body, headers=self._headers(message), timeout=_TIMEOUT) as response:
            if response.status in _AGAIN:
                raise Unanswered(f"it answers with HTTP {response.status}")
            if response.status == HTTPStatus.ACCEPTED:
                return
            awaited = message.get("id") if "method" in message else None
            async for said in _messages(response):
                # What is refused before it is read does not say which request it was.
                answer = {**said, "id": awaited} if said.get("id") is None and "error" in said else said
                if message.get("method") == "initialize":
                    self._agree(answer, response)
                yield answer
                if "method" not in answer and answer.get("id") == awaited:
                    return
            raise Unanswered("it left before it had answered")

    def _agree(self, answer: dict[str, Any], response: aiohttp.ClientResponse) -> None:
        match answer:
            case {"result": {"protocolVersion": str(version)}}:
                self._agreed = {"mcp-protocol-version": version}
                if session := response.headers.get("mcp-session-id"):
                    self._agreed["mcp-session-id"] = session
            case _:
                pass

    def _headers(self, message: dict[str, Any]) -> dict[str, str]:
        headers = {"content-type": "application/json", "accept": "application/json, text/event-stream"}
        if self._token is not None:
            headers["authorization"] = f"Bearer {self._token}"
        return {**headers, **(_mirrored(message) or self._agreed)}

    def _refuse(self, number: object, code: int, text: str) -> None:
        told = {"jsonrpc": "2.0", "id": number, "error": {"code": code, "message": text}}
        self._write(msgspec.json.encode(told) + b"\n")


async def _messages(response: aiohttp.ClientResponse) -> AsyncIterator[dict[str, Any]]:
    decode = msgspec.json.Decoder(dict[str, Any]).decode
    try:
        if response.content_type != "text/event-stream":
            yield decode(await response.read())
            return
        async for line in response.content:
            if line.startswith(b"data: "):
                yield decode(line.removeprefix(b"data: "))
    except msgspec.DecodeError:
        raise Unanswered(f"it answers with HTTP {response.status}, and not in this protocol") from None


def _mirrored(message: dict[str, Any]) -> dict[str, str]:
    """What the newer version of the protocol wants in headers, too."""
    params, method = message.get("params"), str(message.get("method", ""))
    match params:
        case {"_meta": {"io.modelcontextprotocol/protocolVersion": str(version)}}:
            name = params.get(_NAMES.get(method, ""))  # pyright: ignore[reportUnknownMemberType, reportUnknownVariableType]
            headers = {"mcp-protocol-version": version, "mcp-method": method}
            return {**headers, "mcp-name": _header(str(name))} if name is not None else headers  # pyright: ignore[reportUnknownArgumentType]
        case _:
            return {}


def _header(text: str) -> str:
    if text.isascii() and text.isprintable() and text == text.strip() and not text.startswith("=?base64?"):
        return text
    return f"=?base64?{base64.b64encode(text.encode()).decode()}?="


def _keyed(message: dict[str, Any]) -> dict[str, Any]:
    """A call with a key, where it has none: it may have to be sent twice."""
    match message:
        case {"method": "tools/call", "params": {"name": str(name), "arguments": {**arguments}} as params} if (
            name in KEYED and "key" not in arguments
        ):
            return {**message, "params": {**params, "arguments": {**arguments, "key": f"stdio-{uuid4()}"}}}
        case _:
            return message
