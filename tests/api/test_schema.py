"""The OpenAPI document is true: whatever fits it, and whatever does not, gets an answer that it describes."""

import asyncio
import threading
from collections.abc import AsyncGenerator, Iterator
from concurrent.futures import Future
from contextlib import asynccontextmanager
from typing import Any

import hypothesis
import pytest
import schemathesis
from schemathesis import checks
from schemathesis.specs.openapi import checks as openapi_checks

from perdure.access.roles import Role
from perdure.api.examples import EXAMPLES
from perdure.api.openapi import document
from perdure.api.table import TABLE
from perdure.store.pool import open_pool
from perdure.testing.postgres import Databases
from perdure.testing.site import serving

DOCUMENT = document(TABLE, "0")
# How many requests each route gets.
EXAMPLES_EACH = 8
_CONFORMANCE = ("status_code_conformance", "content_type_conformance", "response_schema_conformance")
CHECKS = [getattr(checks, "not_a_server_error"), *(getattr(openapi_checks, name) for name in _CONFORMANCE)]  # noqa: B009
schema: Any = schemathesis.openapi.from_dict(DOCUMENT)


def test_every_operation_has_a_name_of_its_own() -> None:
    names = [route.handler.__name__ for route in TABLE.routes]
    assert sorted(names) == sorted(set(names))


@asynccontextmanager
async def _served(databases: Databases) -> AsyncGenerator[tuple[str, str]]:
    async with (
        databases.fresh() as url,
        open_pool(url) as pool,
        serving(pool) as town,
        await town.person("boss", Role.OWNER) as person,
    ):
        await person.post("/chats", {"content": [{"type": "text", "text": "hello"}]})
        yield town.url, person.token


@pytest.fixture(scope="module")
def served(databases: Databases) -> Iterator[tuple[str, str]]:
    """An API in a thread of its own: the tool that asks is synchronous."""
    ready = Future[tuple[str, str]]()
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


@schema.parametrize()
@hypothesis.settings(
    max_examples=EXAMPLES_EACH,
    deadline=None,
    derandomize=True,
    suppress_health_check=[hypothesis.HealthCheck.too_slow, hypothesis.HealthCheck.filter_too_much],
    phases=[hypothesis.Phase.explicit, hypothesis.Phase.generate],
)
def test_every_answer_is_one_that_the_document_describes(case: Any, served: tuple[str, str]) -> None:
    url, token = served
    case.call_and_validate(
        base_url=f"{url}/api/v1", headers={"authorization": f"Bearer {token}"}, checks=CHECKS, timeout=20
    )


def test_every_body_has_an_example() -> None:
    with_body = {route.handler.__name__ for route in TABLE.routes if "body" in route.wants}
    assert with_body == set(EXAMPLES)


def test_the_document_describes_events_and_hides_what_is_private() -> None:
    schemas = DOCUMENT["components"]["schemas"]
    assert {"MessageEvent", "MessagePart", "HistoryReset", "ChatEvent", "Event"} <= set(schemas)
    assert "provider_metadata" not in str(DOCUMENT)
