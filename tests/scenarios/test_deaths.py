"""A replica is killed while it compacts, interrupts, fails, tries again or comes to rest; another one goes on.

The model hears what it must, once, and nothing happens twice.
"""

import asyncio
from pathlib import Path
from uuid import NAMESPACE_URL, uuid5

import pytest

from perdure.sim.recording import Recorded
from perdure.sim.script import Call, Script, Step, Text
from perdure.store.pool import Pool
from perdure.testing.fleet import Fleet, open_fleet
from perdure.testing.polling import eventually, seen

ENDING = str(Path(__file__).with_name("ending.py"))
TURNS = [f"turn-{number} [[say:200 tokens]]" for number in range(3)]
NEWEST = "[[script:newest]] and now?"
BEGUN = "[[say:it has begun]] [[gate:go]] [[say:and it ends]]"
COMMAND = (
    "[[call:create_workspace]] [[then]] "
    '[[call:execute {"command": "echo ran >> marker; sleep 600"}]] [[then]] [[say:5 tokens]]'
)
COUNTED = '[[call:execute {"command": "wc -l < marker"}]] [[then]] [[say:5 tokens]]'
SIGKILL = "1", "SIGKILL"


async def _says(fleet: Fleet, number: int, chat: str, text: str) -> None:
    said = await fleet.at(number).post(f"/chats/{chat}/messages", {"content": [{"type": "text", "text": text}]})
    assert said.status == 202, said.body


def _told(request: Recorded) -> str:
    return bytes(request.body).decode()


def _conversation(fleet: Fleet) -> list[str]:
    """What the model of the conversation was told: titles and labels are asked for without tools."""
    return [told for told in map(_told, fleet.sim.requests) if '"tools"' in told]


@pytest.mark.parametrize(
    ("point", "summaries"), [("compact.attempt_recorded", 1), ("compact.summarised", 2), ("compact.committed", 1)]
)
async def test_a_compaction_is_done_once_and_loses_nothing(
    point: str, summaries: int, database_url: str, pool: Pool, tmp_path: Path
) -> None:
    async with open_fleet(database_url, pool, tmp_path, first=(ENDING, point, *SIGKILL)) as fleet:
        await fleet.leaves_to_first()
        fleet.sim.script(Script("newest", (Step((Text("and now it ends"),)),)))
        chat = await fleet.asks(0, TURNS[0])
        for turn in TURNS[1:]:
            await fleet.comes_to_rest(0, chat)
            await _says(fleet, 0, chat, turn)
        await fleet.comes_to_rest(0, chat)
        before = len(_conversation(fleet))
        await fleet.at(0).post(f"/chats/{chat}/compact", {})
        await fleet.is_dead(0)
        assert (await fleet.comes_to_rest(1, chat))["status"] == "waiting"
        asked = _conversation(fleet)[before:]
        await _says(fleet, 1, chat, NEWEST)
        assert (await fleet.comes_to_rest(1, chat))["status"] == "waiting"
        said = (await fleet.at(1).get(f"/chats/{chat}/messages?after=0")).json["items"]
        assert (len(asked), [message.get("kind") for message in said].count("compaction")) == (summaries, 2)
        prompt = _conversation(fleet)[-1]
        assert NEWEST in prompt
        assert [turn for turn in ("turn-0", "turn-1", "turn-2") if turn not in prompt and turn not in asked[-1]] == []


@pytest.mark.parametrize("point", ["interruption.gathered", "interruption.committed"])
async def test_a_stopped_answer_is_kept_once(point: str, database_url: str, pool: Pool, tmp_path: Path) -> None:
    async with open_fleet(database_url, pool, tmp_path, first=(ENDING, point, *SIGKILL)) as fleet:
        await fleet.leaves_to_first()
        chat = await fleet.asks(0, BEGUN)
        await seen(lambda: pool.fetchval("SELECT count(*) FROM segments WHERE content LIKE '%egun%'"))
        await fleet.at(0).post(f"/chats/{chat}/interrupt", {})
        await fleet.is_dead(0)
        assert (await fleet.comes_to_rest(1, chat))["status"] == "waiting"
        assert await fleet.said(1, chat) == [BEGUN, "it has begun"]
        assert len(_conversation(fleet)) == 1
        fleet.sim.script(Script("newest", (Step((Text("and now it ends"),)),)))
        await _says(fleet, 1, chat, NEWEST)
        await fleet.comes_to_rest(1, chat)
        assert await fleet.said(1, chat) == [BEGUN, "it has begun", NEWEST, "and now it ends"]
        told = _conversation(fleet)[-1]
        assert (told.count("it has begun"), told.count(NEWEST)) == (2, 1)


@pytest.mark.parametrize("point", ["interruption.gathered", "interruption.committed"])
async def test_a_stopped_command_has_run_once(point: str, database_url: str, pool: Pool, tmp_path: Path) -> None:
    async with open_fleet(database_url, pool, tmp_path, first=(ENDING, point, *SIGKILL)) as fleet:
        await fleet.leaves_to_first()
        chat = await fleet.asks(0, COMMAND)
        await asyncio.to_thread(eventually, lambda: any(tmp_path.rglob("marker")), "the command runs")
        await fleet.at(0).post(f"/chats/{chat}/interrupt", {})
        await fleet.is_dead(0)
        assert (await fleet.comes_to_rest(1, chat))["status"] == "waiting"
        await _says(fleet, 1, chat, COUNTED)
        await fleet.comes_to_rest(1, chat)
        said = (await fleet.at(1).get(f"/chats/{chat}/messages?after=0")).json["items"]
        assert [message["role"] for message in said[3:]] == [
            "assistant",
            "tool",
            "user",
            "assistant",
            "tool",
            "assistant",
        ]
        assert said[4]["parts"][0]["is_error"]
        assert said[7]["parts"][0]["result"].splitlines()[0].strip() == "1"


@pytest.mark.parametrize(
    ("point", "text", "asked", "said"),
    [
        ("generate.failed", "[[fault:overloaded x1]] [[say:all well]]", 2, ["all well"]),
        ("generate.retry_recorded", "[[fault:overloaded x1]] [[say:all well]]", 2, ["all well"]),
        ("generate.failed", "[[fault:400]]", 2, []),
        ("generate.given_up", "[[fault:400]]", 1, []),
    ],
)
async def test_a_failure_is_tried_again_only_where_nobody_knew_of_it(
    point: str, text: str, asked: int, said: list[str], database_url: str, pool: Pool, tmp_path: Path
) -> None:
    async with open_fleet(database_url, pool, tmp_path, first=(ENDING, point, *SIGKILL)) as fleet:
        await fleet.leaves_to_first()
        chat = await fleet.asks(0, text)
        await fleet.is_dead(0)
        rested = await fleet.comes_to_rest(1, chat)
        assert rested["status"] == ("waiting" if said else "error")
        assert await fleet.said(1, chat) == [text, *said]
        assert [text[:8] in told for told in _conversation(fleet)] == [True] * asked


async def test_a_parent_hears_of_an_agent_whose_replica_was_killed_as_it_rested(
    database_url: str, pool: Pool, tmp_path: Path
) -> None:
    async with open_fleet(database_url, pool, tmp_path, first=(ENDING, "runner.rested", *SIGKILL)) as fleet:
        chat = await fleet.asks(0, "[[say:1 tokens]]")
        await fleet.comes_to_rest(0, chat)
        # The agent and its parent are driven by the replica that dies.
        fleet.replicas[1].pause()
        agent = uuid5(NAMESPACE_URL, f"agent:{chat}/4/0/0")
        spawns = Call("spawn_agent", {"type": "general", "prompt": "[[gate:go]] [[say:the agent is done]]"})
        waits = Call("wait_agent", {"ids": [str(agent)]})
        fleet.sim.script(Script("parent", (Step((spawns,)), Step((waits,)), Step((Text("All done."),)))))
        await _says(fleet, 0, chat, "[[script:parent]]")
        await fleet.until(0, chat, lambda card: card["status"] == "requires_action")
        await fleet.sim.gates["go"].set(open=True)
        await fleet.is_dead(0)
        fleet.replicas[1].resume()
        assert (await fleet.comes_to_rest(1, chat))["status"] == "waiting"
        assert (await fleet.said(1, chat))[-1] == "All done."
        asked = [told for told in _conversation(fleet) if "[[gate:go]]" in told and "spawn_agent" not in told]
        assert len(asked) == 1
        assert "the agent is done" in _conversation(fleet)[-1]
