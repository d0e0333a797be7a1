"""What is served in workspaces, as browsers see it: on an origin of its own, or in a sandbox on the server's."""

import asyncio
import contextlib
import logging
from collections import Counter
from collections.abc import Awaitable, Coroutine
from typing import Any
from urllib.parse import parse_qs, urlsplit

from perdure.access.authentication import Authentication
from perdure.access.credentials import SESSION_COOKIE, cookie_of
from perdure.access.previews import OVER, Preview, Previews, Use
from perdure.api.errors import answer_of
from perdure.api.http import Answer, App, headers_of
from perdure.api.preview.addresses import BASE, OPEN, Place, PreviewAddresses
from perdure.api.preview.exchange import Begun, exchange
from perdure.api.preview.headers import SANDBOX, Shown
from perdure.api.preview.sockets import join
from perdure.core.errors import (
    DatabaseFault,
    NotAllowed,
    NotFound,
    PerdureError,
    Refused,
    Unauthenticated,
    Unavailable,
)
from perdure.core.ids import UserId
from perdure.core.timing import STREAM_RECHECK, Clock
from perdure.stream.access import Receive, Refusal, Scope, Send
from perdure.stream.transport import abort, deny
from perdure.workspaces.service import Workspaces

COOKIE = "perdure_preview"
AT_ONCE = 64
"""How many requests and sockets of one person are open at a time."""
READS = frozenset({"GET", "HEAD", "OPTIONS"})
_FRAMED = frozenset({"document", "iframe", "frame"})
_UNPASSED = frozenset({"CONNECT", "TRACE"})
_log = logging.getLogger(__name__)


class PreviewApp:
    """Serves previews, and hands every other request on."""

    def __init__(
        self,
        previews: Previews,
        workspaces: Workspaces,
        authentication: Authentication,
        addresses: PreviewAddresses,
        clock: Clock,
    ) -> None:
        self._previews = previews
        self._workspaces = workspaces
        self._authentication = authentication
        self._addresses = addresses
        self._clock = clock
        self._open = Counter[UserId]()

    def before(self, rest: App) -> App:
        # Nearly every request is for the rest: it costs no coroutine of ours.
        def app(scope: Scope, receive: Receive, send: Send) -> Awaitable[None]:
            if scope["type"] not in ("http", "websocket"):
                return rest(scope, receive, send)
            headers = headers_of(scope)
            place = self._addresses.place(headers.get("host", ""))
            if place is not None:
                return self._told(self._on_origin(place, scope, receive, send), scope, receive, send)
            if scope["path"].startswith(f"{BASE}/"):
                return self._told(self._in_sandbox(scope, receive, send), scope, receive, send)
            return rest(scope, receive, send)

        return app

    async def _told(self, work: Awaitable[None], scope: Scope, receive: Receive, send: Send) -> None:
        try:
            await work
        except PerdureError as error:
            answer = answer_of(error)
            if scope["type"] == "websocket":
                await deny(Refusal(answer.status, answer.body), str(error), scope, receive, send)
            else:
                await _said(answer.status, str(error)).send(send)
        except Begun:
            return

    async def _on_origin(self, place: Place, scope: Scope, receive: Receive, send: Send) -> None:
        headers = headers_of(scope)
        if scope["path"] == OPEN and scope["type"] == "http":
            await self._begin(place, scope).send(send)
            return
        _check_asker(scope, headers)
        preview = self._previews.read(cookie_of(headers, COOKIE), Use.COOKIE)
        if Place(preview.workspace_id, preview.port) != place:
            raise NotFound(OVER)
        origin = self._addresses.origin(place, preview.page) or ""
        await self._show(preview, Shown(place.port, origin, page=preview.page), scope, receive, send)

    def _begin(self, place: Place, scope: Scope) -> Answer:
        """Change the address that opens a preview for a cookie that scripts cannot read."""
        query = parse_qs(scope["query_string"].decode("latin-1"))
        preview = self._previews.read(query.get("grant", [""])[-1], Use.LINK)
        if Place(preview.workspace_id, preview.port) != place:
            raise NotFound(OVER)
        path = f"/{query.get('path', [''])[-1].lstrip('/')}"
        grant, age = self._previews.sign(preview, Use.COOKIE), self._previews.kept(Use.COOKIE).total_seconds()
        origin = urlsplit(self._addresses.origin(place, preview.page) or "")
        secure = origin.scheme == "https" or (origin.hostname or "").endswith(".localhost")
        # In a frame of another site's page a browser keeps a cookie only for that page.
        reach = "SameSite=None; Secure; Partitioned" if secure else "SameSite=Lax"
        cookie = f"{COOKIE}={grant}; Path=/; Max-Age={age:.0f}; HttpOnly; {reach}"
        kept = ("cache-control", "no-store"), ("referrer-policy", "no-referrer")
        return Answer.redirect(path, ("set-cookie", cookie), *kept)

    async def _in_sandbox(self, scope: Scope, receive: Receive, send: Send) -> None:
        grant, slash, _ = scope["path"].removeprefix(f"{BASE}/").partition("/")
        headers, base = headers_of(scope), f"{BASE}/{grant}"
        preview = self._previews.read(grant, Use.PATH)
        await self._check_person(preview, headers)
        if not slash:
            await Answer.redirect(f"{base}/").send(send)
        elif scope["type"] == "http" and "access-control-request-method" in headers:
            await _preflight(headers).send(send)
        else:
            await self._show(preview, Shown(preview.port, "null", base), scope, receive, send)

    async def _check_person(self, preview: Preview, headers: dict[str, str]) -> None:
        """A window is for whoever asked for it. What its document loads comes without a cookie, as it has no origin."""
        secret, dest = cookie_of(headers, SESSION_COOKIE) or None, headers.get("sec-fetch-dest")
        if headers.get("sec-fetch-site") == "same-origin" and dest not in _FRAMED:
            # The server's own page runs nothing from here.
            raise NotAllowed("Open a preview in its own tab or in the panel.")
        if secret is None and dest != "document":
            return
        try:
            actor = await self._authentication.actor(secret)
        except Unauthenticated:
            raise NotFound(OVER) from None
        if actor.user_id != preview.user_id:
            raise NotFound(OVER)

    async def _show(self, preview: Preview, shown: Shown, scope: Scope, receive: Receive, send: Send) -> None:
        row = await self._previews.workspace(preview)
        if scope.get("method") in _UNPASSED:
            raise NotAllowed("This method is not supported.")
        if self._open[preview.user_id] >= AT_ONCE:
            raise Refused(f"More than {AT_ONCE} requests to previews are open. Close some of them first.")
        self._open[preview.user_id] += 1
        try:
            passed = exchange if scope["type"] == "http" else join
            await self._while_allowed(preview, passed(self._workspaces, row, shown, scope, receive, send), scope, send)
        finally:
            self._open[preview.user_id] -= 1
            if not self._open[preview.user_id]:
                del self._open[preview.user_id]

    async def _while_allowed(self, preview: Preview, work: Coroutine[Any, Any, None], scope: Scope, send: Send) -> None:
        passing, denied = asyncio.ensure_future(work), asyncio.ensure_future(self._denied(preview))
        try:
            await asyncio.wait({passing, denied}, return_when=asyncio.FIRST_COMPLETED)
            if passing.done():
                passing.result()
        finally:
            passing.cancel()
            denied.cancel()
            await asyncio.wait({passing, denied})
        if passing.cancelled() and scope["type"] == "websocket":
            with contextlib.suppress(RuntimeError, OSError):
                await send({"type": "websocket.close", "code": 4403})
        elif passing.cancelled():
            abort(send)

    async def _denied(self, preview: Preview) -> None:
        """Return once whoever follows may do so no longer."""
        while True:
            await self._clock.sleep(STREAM_RECHECK.total_seconds())
            try:
                if not await self._previews.holds(preview):
                    return
            except (Unavailable, DatabaseFault) as error:
                _log.warning("who may see previews is not known while the database is away: %s", error)


def _check_asker(scope: Scope, headers: dict[str, str]) -> None:
    """An origin of its own takes what its own pages ask, and people who go there; other sites' requests it does not."""
    asks = headers.get("sec-fetch-site") in ("cross-site", "same-site") and scope["type"] == "http"
    if asks and (headers.get("sec-fetch-mode") != "navigate" or scope["method"] not in READS):
        raise NotAllowed("Requests from other sites are blocked.")


def _preflight(headers: dict[str, str]) -> Answer:
    allowed = headers.get("access-control-request-headers", "")
    method = headers["access-control-request-method"]
    return Answer(
        204,
        b"",
        (
            ("access-control-allow-origin", "*"),
            ("access-control-allow-methods", method),
            ("access-control-allow-headers", allowed),
            ("access-control-max-age", "600"),
        ),
    )


def _said(status: int, text: str) -> Answer:
    """In words, where a page was expected: it has no origin and runs nothing."""
    kind = ("content-type", "text/plain; charset=utf-8")
    return Answer(
        status, f"{text}\n".encode(), (kind, ("content-security-policy", SANDBOX), ("cache-control", "no-store"))
    )
