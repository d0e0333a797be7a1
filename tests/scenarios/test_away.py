"""Every operation of our API and of other protocols while the database takes no writes, and while there is none."""

import asyncio
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import AsyncExitStack, suppress
from pathlib import Path
from typing import Any, NamedTuple
from uuid import UUID

import aiohttp
import msgspec
import pytest
from tests.api.askers import KINDS, Asker, Place
from tests.api.things import named

from perdure.api.examples import EXAMPLES
from perdure.api.routing import Route
from perdure.api.server import BASE
from perdure.api.table import TABLE
from perdure.app.foundation import migrate_database
from perdure.app.replica import PROTOCOLS
from perdure.store.pool import open_pool
from perdure.testing.fleet import Fleet, open_fleet
from perdure.testing.late_proxy import LateProxy
from perdure.testing.polling import seen
from perdure.testing.ports import free_port
from perdure.testing.postgres_pair import PostgresPair, postgres_pair
from perdure.testing.served_api import Response

SAYS: Any = [{"role": "user", "content": "hello"}]
BODIES: Mapping[str, Any] = {
    **EXAMPLES,
    "create_completion": {"model": "m", "messages": SAYS},
    "create_response": {"model": "m", "input": "hello"},
    "create_conversation": {"items": [{"type": "message", **SAYS[0]}]},
    "update_conversation": {"metadata": {"a": "b"}},
    "add_conversation_items": {"items": [{"type": "message", **SAYS[0]}]},
    "say": {"id": str(UUID(int=7)), "messages": [{"role": "user", "parts": [{"type": "text", "text": "hello"}]}]},
    "run_agent": {"threadId": str(UUID(int=8)), "runId": "1", "messages": [{"id": "1", **SAYS[0]}]},
}
STREAMS = ("/chats/{chat_id}/stream", "/chats/watch", "/inbox/watch")
PATIENCE = aiohttp.ClientTimeout(120)


class Operation(NamedTuple):
    """A route, and below which address it is."""

    base: str
    route: Route

    @property
    def name(self) -> str:
        return f"{self.route.method} {self.base}{self.route.path}"


OPERATIONS = [
    *(Operation(BASE, route) for route in TABLE.routes),
    *(Operation(protocol.base, route) for protocol in PROTOCOLS for route in protocol.table.routes),
]
READS = [each for each in OPERATIONS if each.route.reads]
WRITES = [each for each in OPERATIONS if not each.route.reads]
Answers = Mapping[str, Response]


class Somebody:
    """Asks for everything at once, about things that exist."""

    def __init__(self, url: str, asker: Asker, http: aiohttp.ClientSession) -> None:
        self._url = url
        self._asker = asker
        self._http = http

    async def asks(self, operations: Sequence[Operation]) -> Answers:
        answers = await asyncio.gather(*map(self._ask, operations))
        return {each.name: answer for each, answer in zip(operations, answers, strict=True)}

    async def follows(self, path: str) -> str:
        """What comes first on a stream."""
        headers = {**self._asker.headers, "accept": "text/event-stream"}
        async with self._http.get(f"{self._url}{self._placed(BASE + path)}", headers=headers) as answer:
            assert answer.status == 200, await answer.read()
            async for line in answer.content:
                if line.startswith(b"data: "):
                    return line.decode()
        raise AssertionError(f"{path} ended and said nothing")

    async def _ask(self, operation: Operation) -> Response:
        route = operation.route
        body, kind = None, "application/json"
        if "content" in route.wants:
            body, kind = b"some text", "text/plain"
        elif not route.reads:
            body = msgspec.json.encode(BODIES.get(route.handler.__name__, {}))
        url = f"{self._url}{self._placed(operation.base + route.path)}"
        headers = {**self._asker.headers, "content-type": kind, "x-file-name": "a.txt"}
        async with self._http.request(route.method, url, data=body, headers=headers, allow_redirects=False) as answer:
            lowered = {name.lower(): value for name, value in answer.headers.items()}
            return Response(answer.status, lowered, await answer.read())

    def _placed(self, path: str) -> str:
        for name, collection in named(path).items():
            path = path.replace(f"{{{name}}}", self._asker.things.get((collection, name), str(UUID(int=1))))
        return path


def statuses(answers: Answers) -> dict[str, int]:
    return {name: answer.status for name, answer in answers.items()}


def ordinary(answers: Answers) -> list[str]:
    """Those that are told to come again, as everybody is told: when, and in the body of every error."""
    refused = {name: answer for name, answer in answers.items() if answer.status == 503}
    for name, answer in refused.items():
        assert int(answer.headers["retry-after"]) >= 1, name
        told = answer.json.get("error", answer.json)
        assert "database" in told["message"], name
    return list(refused)


@pytest.fixture
async def pair() -> AsyncIterator[PostgresPair]:
    async with postgres_pair() as pair:
        await migrate_database(pair.url)
        yield pair


async def is_ready(fleet: Fleet, http: aiohttp.ClientSession, *, ready: bool) -> None:
    async def says_so() -> bool:
        async with http.get(f"{fleet.replicas[0].url}/readyz") as answer:
            return (answer.status == 200) == ready

    await seen(says_so)


async def reads_again(somebody: Somebody, before: dict[str, int]) -> None:
    """Everything that reads is answered as it was, once connections have found the server that is there now."""
    now: dict[str, int] = {}

    async def answered() -> bool:
        now.update(statuses(await somebody.asks(READS)))
        return now == before

    with suppress(TimeoutError):
        await seen(answered)
    assert now == before


@pytest.mark.timeout(0)
async def test_nothing_that_is_asked_meanwhile_is_a_bug_and_what_reads_is_answered_by_a_standby(
    pair: PostgresPair, tmp_path: Path
) -> None:
    proxy = LateProxy(pair.primary.port)
    async with AsyncExitStack() as stack:
        await stack.enter_async_context(proxy.running())
        pool = await stack.enter_async_context(open_pool(proxy.url))
        fleet = await stack.enter_async_context(open_fleet(proxy.url, pool, tmp_path, count=1))
        http = await stack.enter_async_context(aiohttp.ClientSession(timeout=PATIENCE))
        await fleet.ready()
        place = Place(fleet.replicas[0].url, pool, fleet.sim.url)
        somebody = Somebody(place.url, await place.asker(KINDS[0], workspaces=True), http)
        await seen(lambda: pool.fetchval("SELECT NOT EXISTS (SELECT FROM chats WHERE status <> 'waiting')"))
        before = statuses(await somebody.asks(READS))
        assert len([status for status in before.values() if status == 200]) > 60

        await pair.switch()
        await pair.repair()
        # The address leads to the old primary, which is a standby now.
        await is_ready(fleet, http, ready=False)
        await reads_again(somebody, before)
        for stream in STREAMS:
            await somebody.follows(stream)
        changed = await somebody.asks(WRITES)
        assert len(ordinary(changed)) > 80
        assert [name for name, answer in changed.items() if answer.status == 500] == []

        proxy.target = free_port()
        await pair.standby.stop()
        gone = await somebody.asks(OPERATIONS)
        assert len(ordinary(gone)) > 150
        # What is not valid, or goes nowhere near the database, is said all the same.
        assert [name for name, answer in gone.items() if answer.status not in (400, 401, 503)] == []

        await pair.standby.start()
        await pair.synchronise()
        proxy.target = pair.primary.port
        await is_ready(fleet, http, ready=True)
        # Nothing that was refused was done, or half of it.
        await reads_again(somebody, before)
        log = fleet.replicas[0].log.read_text()
    assert [line for line in log.splitlines() if "Traceback" in line or '"level":"error"' in line] == []
