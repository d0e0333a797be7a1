"""The OpenAPI document is true: whatever fits it, and whatever does not, gets an answer that it describes."""

import asyncio
import re
import threading
from collections.abc import AsyncGenerator, Callable, Iterator
from concurrent.futures import Future
from contextlib import asynccontextmanager
from typing import Any, NamedTuple
from zlib import crc32

import hypothesis
import msgspec
import pytest
import schemathesis
from schemathesis.generation import derive_operation_seed
from schemathesis.generation.hypothesis import builder as schemathesis_builder
from schemathesis.generation.hypothesis.builder import HypothesisTestConfig, HypothesisTestMode
from schemathesis.specs.openapi import checks as openapi_checks
from tests.api.things import Things, named, placed, things

from perdure.access.actor import Role
from perdure.api.examples import EXAMPLES
from perdure.api.openapi import document
from perdure.api.table import TABLE
from perdure.store.pool import open_pool
from perdure.testing.postgres import Databases
from perdure.testing.served_api import serve_api

DOCUMENT = document(TABLE, "0")
# How many requests each route gets: the same few in every run. `--hypothesis-profile=thorough` makes them many, anew.
THOROUGH = hypothesis.settings.get_current_profile_name() == "thorough"
EXAMPLES_EACH = 120 if THOROUGH else 8
_CONFORMANCE = ("status_code_conformance", "content_type_conformance", "response_schema_conformance")


def _no_bug(_: Any, response: Any, __: Any) -> None:
    # 502 and 503 are documented answers: a model's API is away. 500 is none.
    assert response.status_code != 500, response.content


CHECKS = [_no_bug, *(getattr(openapi_checks, name) for name in _CONFORMANCE)]


def _inside_out(document: dict[str, Any]) -> dict[str, Any]:
    """The same document, with what is in something before what removes it."""
    paths = {
        path: dict(sorted(document["paths"][path].items(), key=lambda each: each[0] == "delete"))
        for path in sorted(document["paths"], key=len, reverse=True)
    }
    return {**document, "paths": paths}


schema: Any = schemathesis.openapi.from_dict(_inside_out(DOCUMENT))
builder: Any = schemathesis_builder
OPERATIONS: list[Any] = [found.ok() for found in schema.get_all_operations()]


def _asked_by(ask: Callable[[Any], None], operation: Any) -> Callable[[], None]:
    """A test that asks whatever fits the operation, and whatever does not.

    What `schema.parametrize()` makes of all operations when tests are collected, which takes seconds in every worker.
    """
    settings = hypothesis.settings(
        max_examples=EXAMPLES_EACH,
        deadline=None,
        derandomize=not THOROUGH,
        suppress_health_check=[hypothesis.HealthCheck.too_slow, hypothesis.HealthCheck.filter_too_much],
        phases=[hypothesis.Phase.explicit, hypothesis.Phase.generate],
    )
    seed = derive_operation_seed(schema.config.seed, operation.label)
    config = HypothesisTestConfig(project=schema.config, modes=[*HypothesisTestMode], seed=seed)
    return builder.create_test(operation=operation, test_func=settings(ask), config=config)


class Served(NamedTuple):
    url: str
    token: str
    things: Things


def test_every_operation_has_a_name_of_its_own() -> None:
    names = [route.handler.__name__ for route in TABLE.routes]
    assert sorted(names) == sorted(set(names))


@asynccontextmanager
async def _served(databases: Databases) -> AsyncGenerator[Served]:
    async with (
        databases.fresh() as url,
        open_pool(url) as pool,
        serve_api(url, pool) as api,
        await api.person("boss", Role.OWNER) as person,
    ):
        yield Served(api.url, person.token, await things(api, person))


@pytest.fixture(scope="module")
def served(databases: Databases) -> Iterator[Served]:
    """An API in a thread of its own: the tool that asks is synchronous."""
    ready = Future[Served]()
    loop, over = asyncio.new_event_loop(), asyncio.Event()

    async def run() -> None:
        async with _served(databases) as where:
            ready.set_result(where)
            await over.wait()

    thread = threading.Thread(target=loop.run_until_complete, args=(run(),))
    thread.start()
    yield ready.result(timeout=60)
    loop.call_soon_threadsafe(over.set)
    thread.join()
    loop.close()


@pytest.mark.parametrize("operation", OPERATIONS, ids=[operation.label for operation in OPERATIONS])
def test_every_answer_is_one_that_the_document_describes(operation: Any, served: Served) -> None:
    # Without the thing itself, all that is asked of it ends at a 404.
    assert [name for name, under in named(operation.path).items() if (under, name) not in served.things] == []

    def ask(case: Any) -> None:
        # Three of four requests are about things that exist.
        really = crc32(repr(case.path_parameters).encode()) % 4 > 0
        case.path_parameters = placed(case.path, case.path_parameters, served.things, really=really)
        headers = {"authorization": f"Bearer {served.token}"}
        case.call_and_validate(base_url=f"{served.url}/api/v1", headers=headers, checks=CHECKS, timeout=60)

    _asked_by(ask, operation)()


def test_every_schema_has_a_plain_name() -> None:
    assert [name for name in DOCUMENT["components"]["schemas"] if not name.isidentifier()] == []


def test_every_body_has_an_example() -> None:
    with_body = {route.handler.__name__ for route in TABLE.routes if "body" in route.wants or route.reads_itself}
    assert with_body == set(EXAMPLES)


def test_the_document_describes_events_and_hides_what_is_private() -> None:
    schemas = DOCUMENT["components"]["schemas"]
    assert {"MessageEvent", "MessagePart", "HistoryReset", "ChatEvent", "Event"} <= set(schemas)
    assert "provider_metadata" not in str(DOCUMENT)


def test_no_pattern_lets_a_line_break_follow() -> None:
    patterns = re.findall(r'"pattern":"((?:[^"\\]|\\.)*)"', msgspec.json.encode(DOCUMENT).decode())
    assert len(patterns) > 20
    assert [pattern for pattern in patterns if not pattern.endswith(r"$(?!\\n)")] == []
