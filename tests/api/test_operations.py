"""Whatever anybody asks of any operation, of our API or of another protocol, gets an answer that is described.

`--examples 200` asks so many things of each as everybody, as `make proof ARGS=schema` does.
"""

import asyncio
import threading
import time
from collections import Counter
from collections.abc import AsyncGenerator, Coroutine, Iterator
from concurrent.futures import Future
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any, TypeVar
from zlib import crc32

import hypothesis
import pytest
import schemathesis
from hypothesis import strategies
from schemathesis import GenerationMode
from schemathesis.specs.openapi import checks as openapi_checks
from tests.api.askers import Asker, Place
from tests.api.operations import BODIES, BODILESS, PROTOCOLS, everything
from tests.api.things import named, placed

from perdure.store.pool import open_pool
from perdure.testing.fleet import open_fleet
from perdure.testing.postgres import Databases

T = TypeVar("T")

PATIENCE = 60
_CONFORMANCE = ("status_code_conformance", "content_type_conformance", "response_schema_conformance")


def no_bug(_: Any, response: Any, __: Any) -> None:
    # 502 and 503 are documented answers: a model's API is away. 500 is none.
    assert response.status_code != 500, response.content


CHECKS = [no_bug, *(getattr(openapi_checks, name) for name in _CONFORMANCE)]
schema: Any = schemathesis.openapi.from_dict(everything())


def collection(operation: Any) -> str:
    """What it is about, by the first pieces of its path."""
    return "/".join(operation.path.removeprefix("/api/v1").split("/")[:3])


def _turn(operation: Any) -> tuple[str, bool]:
    """What is about the same things comes together, what removes them at the end."""
    return collection(operation), operation.method.upper() == "DELETE"


OPERATIONS: list[Any] = sorted((found.ok() for found in schema.get_all_operations()), key=_turn)


class Asked:
    """A place to ask at, in a thread of its own, and what came of asking there."""

    def __init__(self, place: Place, loop: asyncio.AbstractEventLoop) -> None:
        self._place = place
        self._loop = loop
        self.statuses: Counter[int] = Counter()
        self.slowest = (0.0, "")
        self._known: tuple[str, list[Asker]] = "", []

    def waits(self, coroutine: Coroutine[Any, Any, T]) -> T:
        return asyncio.run_coroutine_threadsafe(coroutine, self._loop).result(PATIENCE)

    def askers(self, operation: Any) -> list[Asker]:
        """Everybody, with things of their own for each collection."""
        about = collection(operation)
        if self._known[0] != about:
            self._known = about, self.waits(self._place.askers(workspaces=about.startswith("/workspaces")))
        return self._known[1]

    def ask(self, asker: Asker, case: Any) -> None:
        begun = time.monotonic()
        response = case.call(base_url=self._place.url, headers=asker.headers, session=asker.session, timeout=PATIENCE)
        self.slowest = max(self.slowest, (time.monotonic() - begun, case.operation.label))
        self.statuses[response.status_code] += 1
        case.validate_response(response, checks=CHECKS)

    def knows(self, asker: Asker) -> bool:
        answer = asker.session.get(f"{self._place.url}/api/v1/me", headers=asker.headers, timeout=PATIENCE)
        return answer.status_code == 200


@asynccontextmanager
async def _placed(databases: Databases, folder: Path) -> AsyncGenerator[Place]:
    async with databases.fresh() as url, open_pool(url) as pool, open_fleet(url, pool, folder, count=1) as fleet:
        await fleet.ready()
        yield Place(fleet.replicas[0].url, pool, fleet.sim.url)


@pytest.fixture(scope="module")
def asked(databases: Databases, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Asked]:
    ready = Future[Place]()
    loop, over = asyncio.new_event_loop(), asyncio.Event()

    async def run() -> None:
        async with _placed(databases, tmp_path_factory.mktemp("replica")) as place:
            ready.set_result(place)
            await over.wait()

    thread = threading.Thread(target=loop.run_until_complete, args=(run(),))
    thread.start()
    asked = Asked(ready.result(PATIENCE), loop)
    yield asked
    loop.call_soon_threadsafe(over.set)
    thread.join()
    loop.close()
    seconds, where = asked.slowest
    counted = ", ".join(f"{status}: {count}" for status, count in sorted(asked.statuses.items()))
    print(f"\n{len(OPERATIONS)} operations, {asked.statuses.total()} requests ({counted})")  # noqa: T201
    print(f"slowest answer: {seconds:.2f} s ({where})")  # noqa: T201


def cases(operation: Any) -> Any:
    """Requests that fit the document, and as many that do not."""
    fits = operation.as_strategy(generation_mode=GenerationMode.POSITIVE)
    does_not = operation.as_strategy(generation_mode=GenerationMode.NEGATIVE)
    return strategies.one_of(fits, fits, does_not)


def test_every_body_of_another_protocol_is_described() -> None:
    posted = {route.handler.__name__ for each in PROTOCOLS for route in each.table.routes if route.method == "POST"}
    assert posted == set(BODIES) | BODILESS


@pytest.mark.timeout(0)
@pytest.mark.parametrize("operation", OPERATIONS, ids=[operation.label for operation in OPERATIONS])
def test_everybody_gets_an_answer_that_is_described(operation: Any, asked: Asked, pytestconfig: pytest.Config) -> None:
    askers = asked.askers(operation)
    # Without the thing itself, all that is asked of it ends at a 404.
    assert [name for name, under in named(operation.path).items() if (under, name) not in askers[0].things] == []

    @hypothesis.settings(
        max_examples=int(str(pytestconfig.getoption("--examples"))),
        deadline=None,
        database=None,
        suppress_health_check=[hypothesis.HealthCheck.too_slow, hypothesis.HealthCheck.filter_too_much],
        phases=[hypothesis.Phase.explicit, hypothesis.Phase.generate],
    )
    @hypothesis.given(cases(operation))
    def everybody_asks(case: Any) -> None:
        # Three of four requests are about things that exist.
        really = crc32(repr(case.path_parameters).encode()) % 4 > 0
        given = dict(case.path_parameters or {})
        for asker in askers:
            case.path_parameters = placed(case.path, given, asker.things, really=really)
            asked.ask(asker, case)

    everybody_asks()
    assert [asker.kind for asker in askers if not asked.knows(asker)] == []
