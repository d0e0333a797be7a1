"""A replica ends at every named point of an answer and of a batch of tools; another one finishes the turn."""

from pathlib import Path
from uuid import NAMESPACE_URL, uuid5

import pytest

from perdure.sim.script import Call, Script, Step, Text
from perdure.store.pool import Pool
from perdure.testing.fleet import open_fleet

GENERATION = (
    "runner.duty",
    "runner.decided",
    "generate.prepared",
    "generate.attempt_recorded",
    "generate.taken_off",
    "generate.opened",
    "generate.streaming",
    "generate.answered",
    "generate.committed",
    "generate.landed",
)
TOOLS = (
    "tools.prepared",
    "tools.attempt_recorded",
    "tools.taken_off",
    "tools.parsed",
    "tools.started",
    "tools.ran",
    "tools.files_kept",
    "tools.journaled",
    "tools.shown",
    "tools.finished",
    "tools.committed",
    "tools.landed",
)
WORK = (
    "[[call:create_workspace]] [[then]] "
    '[[call:execute {"command": "echo ran >> marker; wc -l < marker"}]] [[then]] [[say:5 tokens]]'
)
FAMILY = ("tools.started", "tools.ran", "tools.journaled", "wait.looked")
# The second answer asks for the command, and the second batch runs it: both are worth dying in.
SECOND = 2
ENDING = str(Path(__file__).with_name("ending.py"))


@pytest.mark.parametrize("point", [*GENERATION, *TOOLS])
async def test_another_replica_finishes_what_a_killed_one_began(
    point: str, database_url: str, pool: Pool, tmp_path: Path
) -> None:
    await _ended_at(point, "SIGKILL", database_url, pool, tmp_path)


@pytest.mark.parametrize("point", [*GENERATION, *TOOLS])
async def test_a_shutdown_at_the_same_points_hands_the_turn_over(
    point: str, database_url: str, pool: Pool, tmp_path: Path
) -> None:
    await _ended_at(point, "SIGTERM", database_url, pool, tmp_path)


async def _ended_at(point: str, how: str, database_url: str, pool: Pool, folder: Path) -> None:
    async with open_fleet(database_url, pool, folder, first=(ENDING, point, str(SECOND), how)) as fleet:
        if how == "SIGKILL":
            await fleet.leaves_to_first()
        chat = await fleet.asks(0, WORK)
        await fleet.is_dead(0)
        rested = await fleet.comes_to_rest(1, chat)
        assert rested["status"] == "waiting"
        said = (await fleet.at(1).get(f"/chats/{chat}/messages?after=0")).json["items"]
        assert [message["role"] for message in said] == ["user", "assistant", "tool", "assistant", "tool", "assistant"]
        assert said[4]["parts"][0]["result"].splitlines()[0].strip() == "1"


@pytest.mark.parametrize("point", FAMILY)
async def test_a_parent_hears_all_its_agents_although_its_replica_was_killed(
    point: str, database_url: str, pool: Pool, tmp_path: Path
) -> None:
    async with open_fleet(database_url, pool, tmp_path, first=(ENDING, point, "1", "SIGKILL")) as fleet:
        await fleet.leaves_to_first()
        chat = await fleet.asks(0, "Ask 3 agents to look around.")
        await fleet.is_dead(0)
        rested = await fleet.comes_to_rest(1, chat)
        assert rested["status"] == "waiting"
        assert (await fleet.said(1, chat))[-1].count("| finished |") == 3
        agents = (await fleet.at(1).get(f"/chats/{chat}/children")).json["items"]
        assert [agent["status"] for agent in agents] == ["waiting"] * 3


async def test_a_parked_parent_is_woken_although_its_replica_was_killed(
    database_url: str, pool: Pool, tmp_path: Path
) -> None:
    async with open_fleet(database_url, pool, tmp_path, first=(ENDING, "wait.parked", "1", "SIGKILL")) as fleet:
        await fleet.leaves_to_first()
        chat = await fleet.asks(0, "[[say:1 tokens]]")
        await fleet.comes_to_rest(0, chat)
        # A parent parks only while its agents are at work: this one is held until the parent has parked.
        agent = uuid5(NAMESPACE_URL, f"agent:{chat}/4/0/0")
        spawns = Call("spawn_agent", {"type": "general", "prompt": "[[gate:go]] [[say:4 tokens]]"})
        waits = Call("wait_agent", {"ids": [str(agent)]})
        fleet.sim.script(Script("parent", (Step((spawns,)), Step((waits,)), Step((Text("All done."),)))))
        await fleet.person.post(f"/chats/{chat}/messages", {"content": [{"type": "text", "text": "[[script:parent]]"}]})
        await fleet.is_dead(0)
        await fleet.sim.gates["go"].set(open=True)
        assert (await fleet.comes_to_rest(1, chat))["status"] == "waiting"
        assert (await fleet.said(1, chat))[-1] == "All done."
