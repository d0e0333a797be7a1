"""The HTTP interface as one ASGI application: find the route, know the caller, read, handle, answer."""

import asyncio
from collections.abc import Mapping
from functools import cache
from typing import Any

import msgspec

from perdure.access.actor import ActorRows
from perdure.access.authentication import check_origin, check_page
from perdure.access.credentials import secret_of
from perdure.api.caller import Caller
from perdure.api.decoding import body_of, query_of
from perdure.api.errors import Problem, answer_of, page_of, wants_page
from perdure.api.http import Answer, Call, Gone, Receive, Scope, Send
from perdure.api.idempotency import Claim, IdempotencyKeys
from perdure.api.openapi import document
from perdure.api.routing import Route, Table, WithHeaders, place
from perdure.api.services import Services
from perdure.core.errors import InvalidInput, NotAllowed, NotFound
from perdure.core.version import product_version
from perdure.observe.tracing import answered

BASE = "/api/v1"
DOCUMENT_PATH = f"{BASE}/openapi.json"
CSRF_HEADER = "x-csrf-token"
_HEADERS = (("cache-control", "no-store"), ("x-content-type-options", "nosniff"))


class _NoQuery(msgspec.Struct, forbid_unknown_fields=True):
    """The parameters of a route that takes none."""


class Api:
    """Serves the routes below `/api/v1`."""

    def __init__(self, services: Services, table: Table) -> None:
        self._services = services
        self._table = table
        self._keys = IdempotencyKeys(services.keyring)
        # Most replicas are never asked for it, and it takes a tenth of a second to make.
        self._document = cache(lambda: msgspec.json.encode(document(table, product_version())))

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        call, since = Call.of(scope, receive), self._services.clock.monotonic()
        with self._services.tracing.request(call.method, call.headers) as span:
            try:
                answer = await self._answer(call)
            except Gone:
                return
            except Exception as error:  # noqa: BLE001 - the edge: every error becomes an answer, and a bug is logged
                answer = _told(call, error)
            answered(span, call.method, call.route, answer.status)
        self._count(call, answer, self._services.clock.monotonic() - since)
        said = {name for name, _ in answer.headers}
        await answer.send(send, *(header for header in _HEADERS if header[0] not in said))

    def _count(self, call: Call, answer: Answer, seconds: float) -> None:
        method, route = (call.method, call.route) if call.route else ("any", "none")
        self._services.measures.requests.answered(method, route, answer.status, seconds)

    async def _answer(self, call: Call) -> Answer:
        if call.path == DOCUMENT_PATH:
            return Answer(200, await asyncio.to_thread(self._document), (("content-type", "application/json"),))
        routes, texts = self._table.find(call.path.removeprefix(BASE))
        route = routes.get(call.method)
        if route is None:
            return _not_allowed(routes)
        call.route, call.visited = route.path, route.visited
        if route.public:
            if not route.reads:
                check_page(call.headers, self._services.public_url)
            body = b"" if route.reads_itself else await call.body(route.body_limit)
            return await self._handled(route, call, place(route, texts), body)
        return await self._signed_in(route, call, texts)

    async def _signed_in(self, route: Route, call: Call, texts: list[str]) -> Answer:
        secret = secret_of(call.headers)
        actor = await self._services.authentication.actor(secret)
        if not route.reads:
            if actor.session_id is not None:
                check_origin(secret or "", call.headers.get(CSRF_HEADER))
            if not actor.writes:
                raise NotAllowed("This token is read-only.")
        rows, values = self._services.rows(actor), place(route, texts)
        body = await call.body(route.body_limit)
        claim = Claim.of(route, call, body)

        callers: list[Caller] = []

        async def run(rows: ActorRows) -> Answer:
            callers.append(Caller(self._services, rows, call, claim if route.by_machine or route.apart else None))
            return await self._handled(route, call, {**values, "caller": callers[-1]}, body)

        answer = await (run(rows) if claim is None else self._keys.once(claim, rows, run))
        for caller in callers:
            caller.announcements.make()
        return answer

    async def _handled(self, route: Route, call: Call, values: Mapping[str, Any], body: bytes) -> Answer:
        if "query" not in route.wants:
            query_of(_NoQuery, _query(call))
        given = {name: self._given(name, kind, call, body) for name, kind in route.wants.items() if name not in values}
        return _answered(route.status, await route.handler(**values, **given))

    def _given(self, name: str, kind: Any, call: Call, body: bytes) -> object:
        match name:
            case "body":
                return body_of(kind, body)
            case "query":
                return query_of(kind, _query(call))
            case "call":
                return call
            case "content":
                return body
            case _:
                assert kind is Services, f"no handler is given a {kind}"
                return self._services


def _told(call: Call, error: Exception) -> Answer:
    """What went wrong: as JSON, or as a page where somebody looks at it."""
    answer = answer_of(error)
    return page_of(answer) if call.visited and wants_page(call.headers.get("accept", "")) else answer


def _answered(status: int, result: object, *headers: tuple[str, str]) -> Answer:
    match result:
        case Answer():
            return result
        case WithHeaders():
            return _answered(status, result.value, *result.headers)
        case None:
            return Answer(status, b"", headers)
        case _:
            return Answer.json(status, result, *headers)


def _query(call: Call) -> dict[str, str]:
    query = call.query
    if any("\0" in text for pair in query.items() for text in pair):
        raise InvalidInput("The query is not valid.")
    return query


def _not_allowed(routes: Mapping[str, Route]) -> Answer:
    if not routes:
        return answer_of(NotFound("There is nothing at this address."))
    return Answer.json(405, Problem("This address does not take that method."), ("allow", ", ".join(sorted(routes))))
