"""`perdure acp`: a real process, spoken to as an editor does, in front of a replica."""

from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager

import pytest
from tests.faces.conftest import minted
from tests.faces.editor import Editor, open_editor

from perdure.agent.prepare import Policy, Rules
from perdure.sim.server import Simulator
from perdure.testing.replica import InProcessReplica
from perdure.testing.served_api import listening

ASKED = '[[think:Hm.]] [[say:I look.]] [[call:read_skill {"name": "x"}]] [[then]] [[say:Nothing there.]]'


@asynccontextmanager
async def editor(replica: InProcessReplica) -> AsyncGenerator[Editor]:
    token = await minted(replica.pool, replica.user)
    async with listening(replica.replica.asgi) as url, open_editor(url, token) as opened:
        yield opened


async def test_an_editor_sees_thoughts_calls_and_answers(replica: InProcessReplica) -> None:
    async with editor(replica) as ours:
        session = (await ours.ask("session/new", cwd="/tmp", mcpServers=[]))["sessionId"]
        assert await ours.prompts(session, ASKED) == "end_turn"
        assert (ours.said("agent_thought_chunk"), ours.said()) == ("Hm.", "I look.Nothing there.")
        calls = [update for update in ours.updates if update["sessionUpdate"].startswith("tool_call")]
        assert [(call["sessionUpdate"], call["status"]) for call in calls] == [
            ("tool_call", "pending"),
            ("tool_call_update", "failed"),
        ]


async def test_a_session_outlives_its_editor(replica: InProcessReplica, sim: Simulator) -> None:
    async with editor(replica) as first:
        session = (await first.ask("session/new", cwd="/tmp", mcpServers=[]))["sessionId"]
        said = [{"type": "text", "text": "[[say:Some words.]] [[gate:open]] [[say:The rest.]]"}]
        first.begin("session/prompt", sessionId=session, prompt=said)
        await first.hears("Some")
    async with editor(replica) as second:
        assert [each["sessionId"] for each in (await second.ask("session/list"))["sessions"]] == [session]
        await second.ask("session/load", sessionId=session, cwd="/tmp", mcpServers=[])
        await sim.gates["open"].set(open=True)
        await second.hears("The rest.")
        assert second.said() == "Some words.The rest."
        assert await second.prompts(session, "[[say:And on.]]") == "end_turn"
    assert await replica.pool.fetchval("SELECT count(*) FROM chats") == 1


async def test_stop_ends_the_turn(replica: InProcessReplica) -> None:
    async with editor(replica) as ours:
        session = (await ours.ask("session/new", cwd="/tmp", mcpServers=[]))["sessionId"]
        said = [{"type": "text", "text": "[[say:Some words.]] [[gate:never]] [[say:Not these.]]"}]
        answer = ours.begin("session/prompt", sessionId=session, prompt=said)
        await ours.hears("Some")
        ours.notify("session/cancel", sessionId=session)
        assert (await answer)["result"] == {"stopReason": "cancelled"}
        assert ours.said() == "Some words."


@pytest.mark.parametrize("choice", ["approve", "deny"])
async def test_the_editor_is_asked_for_permission(replica: InProcessReplica, choice: str) -> None:
    replica.sources.rules_now = Rules(policies={"read_skill": Policy.ASK})
    async with editor(replica) as ours:
        ours.choice = choice
        session = (await ours.ask("session/new", cwd="/tmp", mcpServers=[]))["sessionId"]
        assert await ours.prompts(session, ASKED) == "end_turn"
        (asked,) = ours.permissions
        assert [option["kind"] for option in asked["options"]] == ["allow_once", "allow_always", "reject_once"]
        (result,) = (update for update in ours.updates if update["sessionUpdate"] == "tool_call_update")
        assert ("There is no skill" in str(result["content"])) == (choice == "approve")


async def test_an_editor_that_vanishes_in_a_question_leaves_it_to_the_next(replica: InProcessReplica) -> None:
    replica.sources.rules_now = Rules(policies={"read_skill": Policy.ASK})
    async with editor(replica) as first:
        first.choice = None
        session = (await first.ask("session/new", cwd="/tmp", mcpServers=[]))["sessionId"]
        first.begin("session/prompt", sessionId=session, prompt=[{"type": "text", "text": ASKED}])
        await first.is_asked()
    async with editor(replica) as second:
        await second.ask("session/load", sessionId=session, cwd="/tmp", mcpServers=[])
        await second.hears("Nothing there.")
        assert len(second.permissions) == 1
        assert second.said() == "I look.Nothing there."


async def test_what_makes_no_sense_is_an_error_and_ends_nothing(replica: InProcessReplica) -> None:
    async with editor(replica) as ours:
        assert (await ours.begin("session/prompt", sessionId="no", prompt=[]))["error"]["code"] == -32002
        assert (await ours.begin("session/load", sessionId="no"))["error"]["code"] == -32002
        assert (await ours.begin("nothing/like/this"))["error"]["code"] == -32601
        session = (await ours.ask("session/new", cwd="/tmp", mcpServers=[]))["sessionId"]
        assert (await ours.begin("session/prompt", sessionId=session, prompt=[]))["error"]["code"] == -32602
        answer = await ours.begin(
            "session/prompt", sessionId=session, prompt=[{"type": "text", "text": "[[fault:auth]]"}]
        )
        assert "key" in answer["error"]["message"]
        other = (await ours.ask("session/new", cwd="/tmp", mcpServers=[]))["sessionId"]
        assert await ours.prompts(other, "[[say:Better.]]") == "end_turn"
