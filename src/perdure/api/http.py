"""One HTTP request and its answer, as plain values over bare ASGI."""

from collections.abc import Awaitable, Callable, Mapping, MutableMapping
from dataclasses import dataclass, field
from datetime import timedelta
from typing import Any, TypeAlias
from urllib.parse import parse_qsl

import msgspec

from perdure.access.credentials import SESSION_COOKIE
from perdure.core.errors import InvalidInput, TooLarge
from perdure.core.timing import SESSION_KEPT

Scope: TypeAlias = MutableMapping[str, Any]
Receive: TypeAlias = Callable[[], Awaitable[MutableMapping[str, Any]]]
Send: TypeAlias = Callable[[MutableMapping[str, Any]], Awaitable[None]]
App: TypeAlias = Callable[[Scope, Receive, Send], Awaitable[None]]

JSON = "application/json"
_encoder = msgspec.json.Encoder()


class Gone(Exception):
    """The client went away before it had said everything."""


@dataclass(slots=True)
class Call:
    """A request, before anybody asked what it means. Header names are lower-case."""

    method: str
    path: str
    headers: Mapping[str, str]
    query_string: str
    address: str
    secure: bool
    receive: Receive = field(repr=False)
    route: str = ""
    """The route's path as the table has it, once it is found."""
    visited: bool = False
    """Whether links lead browsers to the route."""

    @classmethod
    def of(cls, scope: Scope, receive: Receive) -> "Call":
        client = scope.get("client")
        return cls(
            method=scope["method"],
            path=scope["path"],
            headers=headers_of(scope),
            query_string=scope["query_string"].decode("latin-1"),
            address=client[0] if client else "",
            secure=scope.get("scheme") == "https",
            receive=receive,
        )

    @property
    def query(self) -> dict[str, str]:
        pairs = parse_qsl(self.query_string, keep_blank_values=True)
        query = dict(pairs)
        if len(query) < len(pairs):
            raise InvalidInput("A query parameter is given twice.")
        return query

    async def body(self, limit: int) -> bytes:
        """All of the body, if it is not larger than what we read."""
        length = self.headers.get("content-length", "")
        if length.isdigit() and int(length) > limit:
            raise TooLarge(limit)
        chunks: list[bytes] = []
        size = 0
        while True:
            event = await self.receive()
            if event["type"] == "http.disconnect":
                raise Gone
            chunk: bytes = event.get("body", b"")
            size += len(chunk)
            if size > limit:
                raise TooLarge(limit)
            chunks.append(chunk)
            if not event.get("more_body"):
                return b"".join(chunks)


def headers_of(scope: Scope) -> dict[str, str]:
    return {name.decode("latin-1"): value.decode("latin-1") for name, value in scope["headers"]}


@dataclass(frozen=True, slots=True)
class Answer:
    """What goes back."""

    status: int
    body: bytes = b""
    headers: tuple[tuple[str, str], ...] = ()

    @classmethod
    def json(cls, status: int, value: object, *headers: tuple[str, str]) -> "Answer":
        return cls(status, _encoder.encode(value), (("content-type", JSON), *headers))

    @classmethod
    def redirect(cls, to: str, *headers: tuple[str, str]) -> "Answer":
        return cls(303, b"", (("location", to), *headers))

    async def send(self, send: Send, *extra: tuple[str, str]) -> None:
        headers = (*self.headers, *extra, ("content-length", str(len(self.body))))
        raw = [(name.encode("latin-1"), value.encode("latin-1")) for name, value in headers]
        await send({"type": "http.response.start", "status": self.status, "headers": raw})
        await send({"type": "http.response.body", "body": self.body})


def setting(secret: str, *, secure: bool) -> tuple[str, str]:
    """The header that gives a browser its session. Scripts cannot read it, other sites cannot post with it."""
    age = int(SESSION_KEPT.total_seconds())
    return "set-cookie", f"{SESSION_COOKIE}={secret}; Path=/; Max-Age={age}; HttpOnly; SameSite=Lax{_secure(secure)}"


def clearing(*, secure: bool) -> tuple[str, str]:
    return "set-cookie", f"{SESSION_COOKIE}=; Path=/; Max-Age=0; HttpOnly; SameSite=Lax{_secure(secure)}"


def short_lived(name: str, value: str, kept: timedelta | None, *, path: str, secure: bool) -> tuple[str, str]:
    """A cookie for the way to somewhere and back; without a time it is taken away."""
    age = int(kept.total_seconds()) if kept else 0
    return "set-cookie", f"{name}={value}; Path={path}; Max-Age={age}; HttpOnly; SameSite=Lax{_secure(secure)}"


def _secure(secure: bool) -> str:
    return "; Secure" if secure else ""
