"""JSON-RPC over lines of text, both ways: requests are answered as they are done, and may ask something back."""

import asyncio
import logging
from collections.abc import Awaitable, Callable
from typing import Any, Protocol, TypeAlias

import msgspec

from perdure.core.errors import InvalidInput, NotFound, PerdureError

INTERNAL, NO_METHOD, BAD_PARAMS, NOT_FOUND = -32603, -32601, -32602, -32002
Handler: TypeAlias = Callable[[dict[str, Any]], Awaitable[Any]]
_log = logging.getLogger(__name__)


class Reader(Protocol):
    """Whatever lines come from."""

    async def readline(self) -> bytes:
        """The next one; nothing at the end."""
        ...


class JsonLines:
    """One connection, over a reader and a writer."""

    def __init__(self, reader: Reader, write: Callable[[bytes], None]) -> None:
        self._reader = reader
        self._write = write
        self._asked: dict[int, asyncio.Future[Any]] = {}
        self._next = 0
        self._running = set[asyncio.Task[None]]()
        self.handlers: dict[str, Handler] = {}

    async def run(self) -> None:
        """Until the other side closes. What still runs is ended."""
        try:
            while line := await self._reader.readline():
                if line.strip():
                    self._take(line)
        finally:
            for task in self._running:
                task.cancel()

    def notify(self, method: str, params: dict[str, Any]) -> None:
        self._say({"method": method, "params": params})

    async def ask(self, method: str, params: dict[str, Any]) -> Any:
        """Ask the other side. Raises PerdureError with what it says instead of an answer."""
        number = self._next = self._next + 1
        answer = self._asked[number] = asyncio.get_running_loop().create_future()
        self._say({"id": number, "method": method, "params": params})
        return await answer

    def _take(self, line: bytes) -> None:
        try:
            message = msgspec.json.decode(line, type=dict[str, Any])
        except (msgspec.DecodeError, UnicodeDecodeError):
            self._say({"id": None, "error": {"code": -32700, "message": "This is not JSON."}})
            return
        if "method" in message:
            task = asyncio.ensure_future(self._handle(message))
            self._running.add(task)
            task.add_done_callback(self._running.discard)
        else:
            self._answered(message)

    def _answered(self, message: dict[str, Any]) -> None:
        match message.get("id"):
            case int() as number if number in self._asked:
                asked = self._asked.pop(number)
            case _:
                return
        if asked.done():
            return
        if "error" in message:
            asked.set_exception(PerdureError(str(message["error"])))
        else:
            asked.set_result(message.get("result"))

    async def _handle(self, message: dict[str, Any]) -> None:
        number = message.get("id")
        try:
            handler = self.handlers.get(str(message["method"]))
            params: Any = message.get("params") or {}
            if not isinstance(params, dict):
                told = {"error": {"code": BAD_PARAMS, "message": "The parameters are not an object."}}
            elif handler is None:
                told = {"error": {"code": NO_METHOD, "message": f"There is no method {message['method']!r}."}}
            else:
                told = {"result": await handler(params)}  # pyright: ignore[reportUnknownArgumentType]
        except Exception as error:  # noqa: BLE001 - the edge: every error becomes an answer, and a bug is logged
            told = {"error": {"code": _code(error), "message": str(error) or type(error).__name__}}
        if number is not None:
            self._say({"id": number, **told})

    def _say(self, message: dict[str, Any]) -> None:
        self._write(msgspec.json.encode({"jsonrpc": "2.0", **message}) + b"\n")


def _code(error: Exception) -> int:
    match error:
        case NotFound():
            return NOT_FOUND
        case InvalidInput() | KeyError():
            return BAD_PARAMS
        case PerdureError():
            return INTERNAL
        case _:
            _log.error("a request failed", exc_info=error)
            return INTERNAL
