"""What the numbers of real replicas say about work that is known."""

from collections.abc import AsyncIterator, Callable
from pathlib import Path

import pytest

from perdure.core.timing import RENEWAL_PERIOD, SEVERED_LEASE
from perdure.store.pool import Pool
from perdure.testing.fleet import Fleet, open_fleet
from perdure.testing.metric_reader import sample
from perdure.testing.polling import seen
from perdure.worker.capacity import Capacity


@pytest.fixture
async def fleet(database_url: str, pool: Pool, tmp_path: Path) -> AsyncIterator[Fleet]:
    async with open_fleet(database_url, pool, tmp_path) as fleet:
        yield fleet


async def until(fleet: Fleet, number: int, condition: Callable[[str], bool]) -> str:
    """The numbers once they are as hoped for: another process counts them."""

    async def hoped_for() -> str:
        page = await fleet.numbers(number)
        return page if condition(page) else ""

    return await seen(hoped_for)


async def test_a_failover_is_counted_and_timed_by_the_replica_that_takes_over(fleet: Fleet) -> None:
    chat = await fleet.asks(0, "[[say:20 tokens]] [[gate:open]] [[say:5 tokens]]")
    await fleet.sim.gates["open"].reached()
    fleet.replicas[0].kill()
    await fleet.sim.gates["open"].set(open=True)
    await fleet.comes_to_rest(1, chat)
    page = await until(fleet, 1, lambda page: sample(page, "perdure_turns_total", outcome="finished") == 1)
    assert sample(page, "perdure_acquisitions_total", how="failover") == 1
    assert sample(page, "perdure_failover_seconds_count") == 1
    assert sample(page, "perdure_failover_seconds_sum") >= (SEVERED_LEASE - RENEWAL_PERIOD).total_seconds()
    assert sample(page, "perdure_turn_seconds_count", outcome="finished") == 1


async def test_a_simple_turn_is_two_commits_and_no_configuration_is_read_for_a_second_one(fleet: Fleet) -> None:
    chat = await fleet.asks(0, "[[say:3 tokens]]")
    await fleet.comes_to_rest(0, chat)
    before = await until(fleet, 0, lambda page: sample(page, "perdure_turns_total", outcome="finished") == 1)
    await fleet.person.post(f"/chats/{chat}/messages", {"content": [{"type": "text", "text": "[[say:3 tokens]]"}]})
    after = await until(fleet, 0, lambda page: sample(page, "perdure_turns_total", outcome="finished") == 2)
    assert (
        sample(after, "perdure_commits_total", result="done") - sample(before, "perdure_commits_total", result="done")
        == 2
    )
    hits = "perdure_config_cache_hits_total"
    assert sample(after, hits, cache="organisation") > sample(before, hits, cache="organisation")
    assert sample(after, "perdure_acquisitions_total", how="message") == 2
    assert sample(after, "perdure_http_requests_total", method="POST", route="/chats", status="201") == 1
    assert sample(after, "perdure_http_request_seconds_count", method="POST", route="/chats") == 1
    assert sample(after, "perdure_config_cache_loads_total", cache="organisation") >= 1
    assert sample(after, "perdure_chat_statements_total") > sample(before, "perdure_chat_statements_total")
    assert sample(after, "perdure_chats_capacity") == Capacity().chats


async def test_a_replica_says_that_it_holds_its_lease_hears_the_others_and_has_a_pool(fleet: Fleet) -> None:
    chat = await fleet.asks(0, "[[say:3 tokens]]")
    await fleet.comes_to_rest(0, chat)
    page = await until(fleet, 1, lambda page: sample(page, "perdure_notices_total", direction="heard") > 0)
    await until(fleet, 0, lambda page: sample(page, "perdure_notices_total", direction="sent") > 0)
    await until(fleet, 1, lambda page: sample(page, "perdure_lease_held") == 1)
    await until(fleet, 1, lambda page: sample(page, "perdure_pubsub_listening") == 1)
    assert sample(page, "perdure_lease_renewals_total", result="ok") >= 1
    connections = sum(sample(page, "perdure_pool_connections", state=state) for state in ("idle", "used"))
    assert 0 < connections <= sample(page, "perdure_pool_limit")
    await until(fleet, 1, lambda page: sample(page, "perdure_loop_lag_seconds") > 0)


async def test_a_stream_from_another_replica_is_relayed_and_both_say_so(fleet: Fleet) -> None:
    chat = await fleet.asks(0, "[[say:20 tokens]] [[gate:more]] [[say:5 tokens]] [[gate:open]] [[say:5 tokens]]")
    await fleet.sim.gates["more"].reached()
    events = fleet.at(1).events(f"/chats/{chat}/stream")
    await anext(event async for event in events if event["type"] == "message_part")
    # What was said before they were connected may come from where it is stored.
    await until(fleet, 1, lambda page: sample(page, "perdure_relay_peers", state="connected") == 1)
    await fleet.sim.gates["more"].set(open=True)
    page = await until(fleet, 1, lambda page: sample(page, "perdure_relay_parts_total") > 0)
    assert sample(page, "perdure_streams_open") == 1
    assert sample(page, "perdure_stream_reads_total") >= 1
    assert sample(page, "perdure_chats_followed") == 1
    assert sample(page, "perdure_relay_chats") == 1
    assert sample(page, "perdure_relay_peers", state="connected") == 1
    # Each counts the living when it renews its lease: the other may have come later.
    await until(fleet, 1, lambda page: sample(page, "perdure_replicas_alive") == 2)
    driver = await fleet.numbers(0)
    assert sample(driver, "perdure_chats_running") == 1
    assert sample(driver, "perdure_episodes_open") == 1
    await fleet.sim.gates["open"].set(open=True)
    await anext(event async for event in events if event["type"] == "status")
    await events.aclose()
    await until(fleet, 1, lambda page: sample(page, "perdure_streams_ended_total", reason="left") == 1)
