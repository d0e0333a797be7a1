"""Stories about several replicas: what happens to a turn when the one that drives it goes away."""

from collections.abc import AsyncIterator
from contextlib import aclosing
from pathlib import Path

import pytest

from perdure.proof.processes import SERVE
from perdure.store.pool import Pool
from perdure.testing.fleet import Fleet, open_fleet


@pytest.fixture
async def fleet(database_url: str, pool: Pool, tmp_path: Path) -> AsyncIterator[Fleet]:
    async with open_fleet(database_url, pool, tmp_path, environment={"PERDURE_DRAIN_SECONDS": "1"}) as fleet:
        yield fleet


async def test_a_killed_replica_loses_no_turn(fleet: Fleet) -> None:
    chat = await fleet.asks(0, "[[say:20 tokens]] [[gate:open]] [[say:5 tokens]]")
    await fleet.sim.gates["open"].reached()
    fleet.replicas[0].kill()
    await fleet.sim.gates["open"].set(open=True)
    rested = await fleet.comes_to_rest(1, chat)
    assert rested["status"] == "waiting"
    assert len(await fleet.said(1, chat)) == 2


async def test_a_replica_that_shuts_down_hands_its_turn_over(fleet: Fleet) -> None:
    chat = await fleet.asks(0, "[[say:20 tokens]] [[gate:open]] [[say:5 tokens]]")
    await fleet.sim.gates["open"].reached()
    assert await fleet.replicas[0].stop() == 0
    assert (await fleet.chat(1, chat))["status"] == "running"
    await fleet.sim.gates["open"].set(open=True)
    rested = await fleet.comes_to_rest(1, chat)
    assert rested["status"] == "waiting"
    assert len(await fleet.said(1, chat)) == 2


async def test_an_interrupt_reaches_a_chat_whose_driver_died(fleet: Fleet) -> None:
    chat = await fleet.asks(0, "[[say:20 tokens]] [[gate:never]]")
    await fleet.sim.gates["never"].reached()
    stored = "SELECT count(*) FROM segments"
    while not await fleet.pool.fetchval(stored):
        pass
    fleet.replicas[0].kill()
    said = await fleet.at(1).post(f"/chats/{chat}/interrupt")
    assert said.status == 200, said.body
    rested = await fleet.comes_to_rest(1, chat)
    assert rested["status"] == "waiting"
    question, partial = await fleet.said(1, chat)
    assert question != partial
    assert partial


async def test_a_replica_that_slept_past_its_lease_changes_nothing(fleet: Fleet) -> None:
    chat = await fleet.asks(0, "[[say:20 tokens]] [[gate:open]] [[say:5 tokens]]")
    await fleet.sim.gates["open"].reached()
    driver = await fleet.pool.fetchval("SELECT worker_id FROM chats WHERE id = $1", chat)
    fleet.replicas[0].pause()
    other = "SELECT count(*) FROM chats WHERE id = $1 AND worker_id IS NOT NULL AND worker_id <> $2"
    while not await fleet.pool.fetchval(other, chat, driver):
        pass
    fleet.replicas[0].resume()
    await fleet.sim.gates["open"].set(open=True)
    rested = await fleet.comes_to_rest(1, chat)
    assert rested["status"] == "waiting"
    assert len(await fleet.said(1, chat)) == 2


async def test_a_stream_on_another_replica_sees_the_answer_as_it_is_given(fleet: Fleet) -> None:
    chat = await fleet.asks(0, "[[say:20 tokens]] [[gate:open]] [[say:5 tokens]]")
    await fleet.sim.gates["open"].reached()
    async with aclosing(fleet.at(1).events(f"/chats/{chat}/stream")) as events:
        part = await anext(event async for event in events if event["type"] == "message_part")
        assert part["part"]["text"]
        await fleet.sim.gates["open"].set(open=True)
        rested = await anext(event async for event in events if event["type"] == "status")
        assert rested["status"] == "waiting"


async def test_one_replica_takes_requests_and_another_drives(database_url: str, pool: Pool, tmp_path: Path) -> None:
    worker, api = (*SERVE, "--role", "worker"), {"PERDURE_ROLE": "api"}
    async with open_fleet(database_url, pool, tmp_path, first=worker, environment=api) as fleet:
        await fleet.ready()
        assert (await fleet.at(0).get("/me")).json == {"message": "This replica only drives chats. Ask another one."}
        chat = await fleet.asks(1, "[[say:one]] [[gate:open]] [[say:two]]")
        await fleet.sim.gates["open"].reached()
        address = await pool.fetchval("SELECT r.address FROM chats c JOIN replicas r ON r.id = c.worker_id")
        assert f"http://{address}" == fleet.replicas[0].url
        async with aclosing(fleet.at(1).events(f"/chats/{chat}/stream")) as events:
            while (await anext(events))["type"] != "message_part":
                pass
        await fleet.sim.gates["open"].set(open=True)
        await fleet.comes_to_rest(1, chat)
        assert (await fleet.said(1, chat))[1] == "onetwo"
