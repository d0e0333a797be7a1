"""OpenAI's API as an ASGI application: whoever speaks it has durable chats."""

import asyncio
from collections.abc import Awaitable
from typing import TypeVar

from perdure.access.presented import token_of
from perdure.api.caller import Caller
from perdure.api.http import Answer, Call, Gone, Receive, Scope, Send
from perdure.api.routing import Route, place
from perdure.api.services import Services
from perdure.core.errors import NotAllowed, NotFound, Unauthenticated, Unavailable
from perdure.faces.frames import FrameSource
from perdure.faces.openai.errors import error_of
from perdure.faces.openai.routes import TABLE, Awaited, Request, Streamed
from perdure.stream.access import Admission
from perdure.stream.hubs import Hubs
from perdure.stream.open_streams import OpenStreams
from perdure.stream.subscription import Ended
from perdure.stream.transport import serve

BASE = "/v1"
T = TypeVar("T")


class OpenAiFace:
    """Serves the routes below `/v1`. It keeps nothing: a name says which chat and which turn it is for."""

    def __init__(self, services: Services, hubs: Hubs, open_streams: OpenStreams) -> None:
        self._services = services
        self._hubs = hubs
        self._streams = open_streams

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        call, since = Call.of(scope, receive), self._services.clock.monotonic()
        try:
            answer = await self._answer(call, scope, receive, send)
        except Gone:
            return
        except Exception as error:  # noqa: BLE001 - the edge: every error becomes an answer, and a bug is logged
            answer = error_of(error)
        status = 200 if answer is None else answer.status
        seconds = self._services.clock.monotonic() - since
        route = f"{BASE}{call.route}" if call.route else "none"
        self._services.measures.requests.answered(call.method, route, status, seconds)
        if answer is not None:
            await answer.send(send, ("cache-control", "no-store"), ("x-content-type-options", "nosniff"))

    async def _answer(self, call: Call, scope: Scope, receive: Receive, send: Send) -> Answer | None:
        """The answer; None where it was streamed."""
        routes, texts = TABLE.find(call.path.removeprefix(BASE))
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
        # No cookie: a page elsewhere could send it along.
        secret = token_of(call.headers)
        actor = await self._services.authentication.actor(secret)
        if actor.session_id is not None:
            raise Unauthenticated("Send a token as a Bearer: sessions are for the page.")
        if not route.reads and not actor.writes:
            raise NotAllowed("This token only reads.")
        body = await call.body(route.body_limit)
        caller = Caller(self._services, self._services.rows(actor), call, None)
        admission = Admission(user_id=actor.user_id, organisation_id=actor.organisation_id, credential=secret)
        return Request(caller, call, self._hubs, body), admission


async def unless_gone(working: Awaitable[T], receive: Receive) -> T:
    """What comes of it, unless the client leaves before: then nobody waits any longer. The turn goes on."""
    work, left = asyncio.ensure_future(working), asyncio.ensure_future(receive())
    try:
        await asyncio.wait({work, left}, return_when=asyncio.FIRST_COMPLETED)
        if not work.done():
            raise Gone
        return work.result()
    except Ended as ended:
        raise Unavailable("This replica shuts down. Ask again for the response.") from ended
    finally:
        left.cancel()
        work.cancel()
