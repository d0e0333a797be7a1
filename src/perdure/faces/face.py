"""A protocol as an ASGI application: find the route, know the caller, ask, and stream the answer."""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping, MutableMapping, Sequence
from dataclasses import dataclass, field, replace
from http import HTTPStatus
from typing import Any, TypeAlias, TypeVar

from perdure.access.actor import Actor
from perdure.access.credentials import token_of
from perdure.api.caller import Caller
from perdure.api.http import Answer, App, Call, Gone, Receive, Scope, Send, headers_of
from perdure.api.routing import Route, Table, place
from perdure.api.services import Services
from perdure.core.errors import NotAllowed, NotFound, PerdureError, Unauthenticated, Unavailable
from perdure.core.ids import ChatId
from perdure.faces.socket import PING, Socket
from perdure.stream.access import Admission, Refusal
from perdure.stream.batches import Batch
from perdure.stream.hubs import Hubs
from perdure.stream.open_streams import OpenStreams
from perdure.stream.subscription import Ended
from perdure.stream.transport import deny, serve

DONE = "done"


class Frames(Batch):
    """Server-sent events, or frames of a WebSocket, that are encoded already."""

    def __init__(self, encoded: bytes) -> None:
        super().__init__(())
        # In place of what is made of events.
        self.__dict__ |= {"sse": encoded, "frame": encoded}

    @property
    def empty(self) -> bool:
        return not self.__dict__["sse"]


class FrameSource:
    """Gives what an iterator yields, and ends with it."""

    def __init__(self, frames: AsyncIterator[bytes]) -> None:
        self._frames = frames

    async def next(self) -> Batch:
        try:
            return Frames(await anext(self._frames))
        except StopAsyncIteration:
            raise Ended(DONE) from None


T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Request:
    """What a handler is given."""

    caller: Caller
    call: Call
    hubs: Hubs
    body: bytes


@dataclass(frozen=True, slots=True)
class Streamed:
    """An answer that comes piece by piece, as server-sent events."""

    chat_id: ChatId | None
    frames: AsyncIterator[bytes]


@dataclass(frozen=True, slots=True)
class Awaited:
    """An answer that comes when the turn is over. Whoever leaves before that stops nothing."""

    answer: Awaitable[Answer]


Answered: TypeAlias = Answer | Streamed | Awaited
Conversing: TypeAlias = Callable[[Request], AsyncIterator[bytes]]
"""From one message of a WebSocket, as the body of a request, to the frames that answer it."""


@dataclass(frozen=True, slots=True)
class Protocol:
    """Where a protocol is served, what it has, and how it tells errors."""

    base: str
    table: Table
    error_of: Callable[[Exception], Answer]
    headers: tuple[tuple[str, str], ...] = ()
    """What every answer carries."""
    challenge: Callable[[int, str], tuple[tuple[str, str], ...]] = lambda _status, _address: ()
    """What a refusal carries, by its status and by where this deployment is reached."""
    guard: Callable[[Call, str | None, Sequence[str]], None] = lambda _call, _public_url, _origins: None
    """Raises where a page may not use the protocol, before anything else is looked at."""
    sockets: Mapping[str, Conversing] = field(default_factory=dict[str, Conversing])
    """What answers the messages of a WebSocket, by its path."""


class HeadersAdded:
    """Sends what it is given, with headers that the answer does not know of."""

    def __init__(self, send: Send, headers: Sequence[tuple[str, str]]) -> None:
        self._send = send
        self._headers = [(name.encode("latin-1"), value.encode("latin-1")) for name, value in headers]
        # Whoever drops the connection of a client that reads nothing looks for it here.
        self.transport = getattr(getattr(send, "__self__", None), "transport", None)

    async def send(self, message: MutableMapping[str, Any]) -> None:
        if message["type"] == "http.response.start":
            message["headers"] = [*message["headers"], *self._headers]
        await self._send(message)


class Face:
    """Serves one protocol. It keeps nothing: a request says which chat and which turn it is for."""

    def __init__(
        self,
        protocol: Protocol,
        services: Services,
        hubs: Hubs,
        open_streams: OpenStreams,
        *,
        origins: Sequence[str] = (),
    ) -> None:
        self._protocol = protocol
        self._origins = origins
        self._services = services
        self._hubs = hubs
        self._streams = open_streams

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "websocket":
            await self._converse(scope, receive, send)
            return
        headers = (*self._protocol.headers, *self._cross_origin(scope))
        if scope["method"] == "OPTIONS":
            await Answer(204, b"", headers).send(send)
            return
        await self._serve(scope, receive, HeadersAdded(send, headers).send)

    def _cross_origin(self, scope: Scope) -> tuple[tuple[str, str], ...]:
        """What lets a page of another origin in, where the deployment does."""
        said = headers_of(scope)
        origin = said.get("origin", "")
        if not origin or not {origin, "*"} & set(self._origins):
            return ()
        return (
            ("access-control-allow-origin", origin),
            ("access-control-allow-methods", "GET, POST, DELETE"),
            ("access-control-allow-headers", said.get("access-control-request-headers", "authorization, content-type")),
            ("access-control-max-age", "600"),
            ("vary", "origin"),
        )

    async def _serve(self, scope: Scope, receive: Receive, send: Send) -> None:
        call, since = Call.of(scope, receive), self._services.clock.monotonic()
        try:
            answer = await self._answer(call, scope, receive, send)
        except Gone:
            return
        except Exception as error:  # noqa: BLE001 - the edge: every error becomes an answer, and a bug is logged
            answer = self._refusal(call, error)
        status = 200 if answer is None else answer.status
        seconds = self._services.clock.monotonic() - since
        route = f"{self._protocol.base}{call.route}" if call.route else "none"
        self._services.measures.requests.answered(call.method, route, status, seconds)
        if answer is not None:
            await answer.send(send, ("cache-control", "no-store"), ("x-content-type-options", "nosniff"))

    def _refusal(self, call: Call, error: Exception) -> Answer:
        answer = self._protocol.error_of(error)
        if answer.status not in (HTTPStatus.UNAUTHORIZED, HTTPStatus.FORBIDDEN):
            return answer
        more = self._protocol.challenge(answer.status, self._services.address(call))
        return replace(answer, headers=(*answer.headers, *more))

    async def _answer(self, call: Call, scope: Scope, receive: Receive, send: Send) -> Answer | None:
        """The answer; None where it was streamed."""
        self._protocol.guard(call, self._services.public_url, self._origins)
        routes, texts = self._protocol.table.find(call.path.removeprefix(self._protocol.base))
        route = routes.get(call.method)
        if route is None:
            raise NotFound(f"There is nothing at {call.method} {call.path}.")
        call.route = route.path
        request, admission = await self._request(route, call)
        answer = await route.handler(request, **place(route, texts))
        request.caller.announcements.make()
        if isinstance(answer, Awaited):
            return await unless_gone(answer.answer, receive)
        if isinstance(answer, Answer):
            return answer
        assert isinstance(answer, Streamed)
        entered = Admission(
            user_id=admission.user_id,
            organisation_id=admission.organisation_id,
            chat_id=answer.chat_id,
            credential=admission.credential,
        )
        await serve(FrameSource(answer.frames), entered, self._streams, scope, receive, send)
        return None

    async def _request(self, route: Route, call: Call) -> tuple[Request, Admission]:
        actor, admission = await self._admitted(call, reads=route.reads)
        return self._asked(actor, call, await call.body(route.body_limit)), admission

    async def _admitted(self, call: Call, *, reads: bool) -> tuple[Actor, Admission]:
        # No cookie: a page elsewhere could send it along.
        secret = token_of(call.headers)
        actor = await self._services.authentication.actor(secret)
        if actor.session_id is not None:
            raise Unauthenticated("Send a bearer token. Sessions are for the web page only.")
        if not reads and not actor.writes:
            raise NotAllowed("This token is read-only.")
        return actor, Admission(user_id=actor.user_id, organisation_id=actor.organisation_id, credential=secret)

    def _asked(self, actor: Actor, call: Call, body: bytes) -> Request:
        return Request(Caller(self._services, self._services.rows(actor), call, None), call, self._hubs, body)

    async def _converse(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer the messages of a WebSocket, one after the other. Whoever leaves stops nothing."""
        call = Call.of({**scope, "method": "GET"}, receive)
        try:
            self._protocol.guard(call, self._services.public_url, self._origins)
            answers = self._protocol.sockets.get(call.path.removeprefix(self._protocol.base))
            if answers is None:
                raise NotFound(f"There is no WebSocket at {call.path}.")
            actor, admission = await self._admitted(call, reads=False)
        except PerdureError as error:
            answer = self._refusal(call, error)
            await deny(Refusal(answer.status, answer.body), str(error), scope, receive, send)
            return
        socket = Socket(lambda message: answers(self._asked(actor, call, message)), receive)
        frames = FrameSource(socket.frames())
        await serve(frames, admission, self._streams, scope, socket.receive, send, beat_frame=PING)


async def unless_gone(working: Awaitable[T], receive: Receive) -> T:
    """What comes of it, unless the client leaves before: then nobody waits any longer. The turn goes on."""
    work, left = asyncio.ensure_future(working), asyncio.ensure_future(receive())
    try:
        await asyncio.wait({work, left}, return_when=asyncio.FIRST_COMPLETED)
        if not work.done():
            raise Gone
        return work.result()
    except Ended as ended:
        raise Unavailable("This replica is shutting down. Request the response again.") from ended
    finally:
        left.cancel()
        work.cancel()


class WellKnown:
    """Hands a request to whoever has its path."""

    def __init__(self, known: Mapping[str, App], rest: App) -> None:
        self._known = known
        self._rest = rest

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        await self._known.get(scope["path"], self._rest)(scope, receive, send)
