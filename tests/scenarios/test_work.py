"""Stories about work in a workspace: a whole task, and a command that outlives its replica."""

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from perdure.store.pool import Pool
from perdure.testing.town import ReplicaTown, replicas

COUNT = "echo ran >> marker; sleep 4; wc -l < marker"


@pytest.fixture
async def town(database_url: str, pool: Pool, tmp_path: Path) -> AsyncIterator[ReplicaTown]:
    async with replicas(database_url, pool, tmp_path) as town:
        yield town


async def results(town: ReplicaTown, chat: str) -> list[str]:
    page = (await town.at(1).get(f"/chats/{chat}/messages?after=0")).json
    return [part["result"] for message in page["items"] for part in message["parts"] if part["type"] == "tool_result"]


async def test_the_demo_agent_writes_a_program_and_fixes_it(town: ReplicaTown) -> None:
    chat = await town.asks(1, "Please write a small program that prints fibonacci numbers, with a test.")
    rested = await town.comes_to_rest(1, chat)
    assert rested["status"] == "waiting"
    answers = await results(town, chat)
    assert any("FAIL" in answer for answer in answers)
    assert any("+    for _ in range(count):" in answer for answer in answers)
    assert answers[-1].startswith("0 1 1 2 3 5 8 13 21 34")


async def test_a_command_outlives_its_replica_and_runs_once(town: ReplicaTown) -> None:
    text = (
        f'[[call:create_workspace]] [[then]] [[call:execute {{"command": "{COUNT}", "timeout": 60}}]] [[say:3 tokens]]'
    )
    chat = await town.asks(0, text)
    started = "SELECT count(*) FROM journal WHERE chat_id = $1 AND tool = 'execute' AND state = 'started'"
    while not await town.pool.fetchval(started, chat):
        pass
    town.replicas[0].kill()
    rested = await town.comes_to_rest(1, chat)
    assert rested["status"] == "waiting"
    assert (await results(town, chat))[-1].splitlines()[0].strip() == "1"
