"""What operators and their machines ask: is it alive, may it have traffic, how is it doing."""

from collections.abc import Awaitable, Callable, Mapping, MutableMapping
from http import HTTPStatus
from typing import Any, TypeAlias

import msgspec

from perdure.observe.metrics import CONTENT_TYPE

Scope: TypeAlias = MutableMapping[str, Any]
Receive: TypeAlias = Callable[[], Awaitable[MutableMapping[str, Any]]]
Send: TypeAlias = Callable[[MutableMapping[str, Any]], Awaitable[None]]
Render: TypeAlias = Callable[[str], Awaitable[bytes]]
"""The numbers, given the query of who asks."""
Asgi: TypeAlias = Callable[[Scope, Receive, Send], Awaitable[None]]

Readiness: TypeAlias = Callable[[], Awaitable[Mapping[str, str]]]
"""What keeps a replica from taking traffic, by name. Nothing, when it is ready."""


class OperatorEndpoints:
    """Answers `/healthz`, `/readyz` and `/metrics`, and hands everything else on."""

    def __init__(self, *, readiness: Readiness, metrics: Render, rest: Asgi | None = None) -> None:
        self._readiness = readiness
        self._metrics = metrics
        self._rest = rest

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        match scope["type"], scope.get("path"):
            case "http", "/healthz":
                await _answer(send, HTTPStatus.OK, {"status": "alive"})
            case "http", "/readyz":
                await self._answer_readiness(send)
            case "http", "/metrics":
                page = await self._metrics(scope.get("query_string", b"").decode("latin-1"))
                await _send(send, HTTPStatus.OK, page, CONTENT_TYPE)
            case _ if self._rest is not None:
                await self._rest(scope, receive, send)
            case "http", _:
                await _answer(send, HTTPStatus.NOT_FOUND, {"message": "There is nothing here."})
            case _:
                pass

    async def _answer_readiness(self, send: Send) -> None:
        obstacles = await self._readiness()
        if obstacles:
            await _answer(send, HTTPStatus.SERVICE_UNAVAILABLE, {"status": "not ready", "because": obstacles})
        else:
            await _answer(send, HTTPStatus.OK, {"status": "ready"})


async def _answer(send: Send, status: HTTPStatus, body: Mapping[str, object]) -> None:
    await _send(send, status, msgspec.json.encode(body), "application/json")


async def _send(send: Send, status: HTTPStatus, body: bytes, content_type: str) -> None:
    headers = [(b"content-type", content_type.encode()), (b"content-length", str(len(body)).encode())]
    await send({"type": "http.response.start", "status": status.value, "headers": headers})
    await send({"type": "http.response.body", "body": body})
