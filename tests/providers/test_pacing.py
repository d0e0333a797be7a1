"""Calls to a provider that limits them come one after the other, and as before once it takes them again."""

import asyncio
from collections.abc import AsyncIterator

import pytest
from tests.providers.clock import HandClock
from tests.providers.routes import MODELS, route, user

from perdure.core.errors import ProviderFailure
from perdure.providers.client import Completion, ProviderClient
from perdure.providers.pacing import PACE_PATIENCE, Pacing
from perdure.providers.request import ModelRequest
from perdure.providers.route import Route
from perdure.sim.server import Simulator

DIALECT = "anthropic_messages"
QUESTION = ModelRequest(messages=[user("[[say:yes]]")])


@pytest.fixture
def clock() -> HandClock:
    return HandClock()


@pytest.fixture
async def client(clock: HandClock) -> AsyncIterator[ProviderClient]:
    async with ProviderClient(clock) as opened:
        yield opened


@pytest.fixture
def way(sim: Simulator) -> Route:
    return route(sim, DIALECT)


async def refused(client: ProviderClient, way: Route, fault: str = "rate_limit") -> None:
    with pytest.raises(ProviderFailure):
        await client.complete(way, ModelRequest(messages=[user(f"[[fault:{fault}]]")]))


async def asking(client: ProviderClient, way: Route, count: int) -> list["asyncio.Task[Completion]"]:
    tasks = [asyncio.create_task(client.complete(way, QUESTION)) for _ in range(count)]
    await asyncio.sleep(0)
    return tasks


async def test_those_who_ask_after_a_limit_come_one_after_the_other(
    sim: Simulator, client: ProviderClient, clock: HandClock, way: Route
) -> None:
    await refused(client, way)
    tasks = await asking(client, way, 3)
    for taken, task in enumerate(tasks, 1):
        assert len(sim.requests) == taken
        clock.pass_time(0.1)
        await task
    assert len(sim.requests) == 4


@pytest.mark.parametrize("fault", ["overloaded", "server_error", "quota"])
async def test_only_a_limit_makes_calls_wait(client: ProviderClient, way: Route, fault: str) -> None:
    await refused(client, way, fault)
    await asyncio.gather(*await asking(client, way, 3))


async def test_another_key_or_model_is_not_held_up(sim: Simulator, client: ProviderClient, way: Route) -> None:
    await refused(client, way)
    await client.complete(route(sim, DIALECT, secret="sk-another"), QUESTION)
    await client.complete(route(sim, "openai_responses", model=MODELS["openai_responses"]), QUESTION)


async def waits(pacing: Pacing, clock: HandClock, way: Route) -> float:
    """How long two calls that come at once are apart."""
    first, second = (asyncio.create_task(pacing.turn(way)) for _ in range(2))
    await asyncio.sleep(0)
    since: list[float] = []
    for task in (first, second):
        while not task.done():
            clock.pass_time(0.01)
            await asyncio.sleep(0)
        since.append(clock.monotonic())
    return since[1] - since[0]


async def test_the_gap_doubles_once_for_all_that_were_under_way_and_goes_when_calls_are_taken(
    clock: HandClock, way: Route
) -> None:
    pacing = Pacing(clock)
    for _ in range(50):
        pacing.limited(way, 0)
    assert await waits(pacing, clock, way) == pytest.approx(0.1, abs=0.02)
    again = clock.monotonic()
    for _ in range(50):
        pacing.limited(way, again)
    assert await waits(pacing, clock, way) == pytest.approx(0.2, abs=0.02)
    for _ in range(10):
        pacing.answered(way, clock.monotonic())
    assert await waits(pacing, clock, way) == 0


async def test_nobody_waits_for_ever(clock: HandClock, way: Route) -> None:
    pacing = Pacing(clock)
    pacing.limited(way, 0)
    turns = asyncio.gather(*(pacing.turn(way) for _ in range(1_000)))
    await asyncio.sleep(0)
    clock.pass_time(PACE_PATIENCE.total_seconds())
    await turns
