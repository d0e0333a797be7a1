"""`perdure acp`: a real process, spoken to as an editor does, in front of a replica."""

from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from typing import Any
from uuid import uuid4

import msgspec
import pytest
from tests.faces.conftest import minted
from tests.faces.editor import Editor, open_editor

from perdure.agent.prepare import Policy, Rules
from perdure.core.card import NewCard
from perdure.core.chat import AT_REST, Status
from perdure.core.deltas import ToolResultDelta
from perdure.core.ids import ChatId
from perdure.core.message import ToolCall, ToolResult
from perdure.faces.acp.updates import PRINTED, Running, call_of, updates_of
from perdure.faces.turn import Called, Returned
from perdure.machine.transitions import Create
from perdure.sim.server import Simulator
from perdure.testing.replica import InProcessReplica
from perdure.testing.served_api import listening

ASKED = '[[think:Hm.]] [[say:I look.]] [[call:read_skill {"name": "x"}]] [[then]] [[say:Nothing there.]]'


@asynccontextmanager
async def editor(replica: InProcessReplica, **capabilities: Any) -> AsyncGenerator[Editor]:
    token = await minted(replica.pool, replica.user)
    async with listening(replica.replica.asgi) as url, open_editor(url, token, **capabilities) as opened:
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


QUESTION = {
    "question": "Tea or coffee?",
    "options": [{"label": "[[say:Tea it is.]]", "description": "Green."}, {"label": "[[say:Coffee then.]]"}],
}
_ARGUMENTS = msgspec.json.encode({"questions": [QUESTION]}).decode()
ASKING = f"[[say:One thing first.]] [[call:ask_user_question {_ARGUMENTS}]]"


@pytest.mark.parametrize(
    ("answer", "said"),
    [
        ({"answer_1": "[[say:Tea it is.]]"}, ["One thing first.", "Tea it is."]),
        ({"answer_1": "[[say:Tea it is.]]", "other_1": "[[say:Or water.]]"}, ["One thing first.", "Or water."]),
        ({}, ["One thing first."]),
        (None, ["One thing first."]),
    ],
)
async def test_what_the_agent_asks_is_a_form_and_its_answer_goes_on_with_the_prompt(
    replica: InProcessReplica, answer: dict[str, str] | None, said: list[str]
) -> None:
    async with editor(replica, elicitation={"form": {}}) as ours:
        ours.answer = {"action": "decline"} if answer is None else {"action": "accept", "content": answer}
        session = (await ours.ask("session/new", cwd="/tmp", mcpServers=[]))["sessionId"]
        await ours.ask("session/set_config_option", sessionId=session, configId="mode", value="plan")
        assert await ours.prompts(session, ASKING) == "end_turn"
        assert ours.said() == "".join(said)
        (form,) = ours.forms
        asked = form["requestedSchema"]["properties"]["answer_1"]
        assert (asked["title"], [each["title"] for each in asked["oneOf"]]) == (
            "Tea or coffee?",
            ["[[say:Tea it is.]]: Green.", "[[say:Coffee then.]]"],
        )


async def test_an_editor_without_forms_shows_the_question_as_a_call(replica: InProcessReplica) -> None:
    async with editor(replica) as ours:
        session = (await ours.ask("session/new", cwd="/tmp", mcpServers=[]))["sessionId"]
        await ours.ask("session/set_mode", sessionId=session, modeId="plan")
        assert await ours.prompts(session, ASKING) == "end_turn"
        (call,) = (update for update in ours.updates if update["sessionUpdate"] == "tool_call")
        assert call["rawInput"]["questions"] == [QUESTION]


async def test_an_editor_chooses_the_model_of_its_sessions(replica: InProcessReplica) -> None:
    async with editor(replica) as ours:
        opened = await ours.ask("session/new", cwd="/tmp", mcpServers=[])
        session = opened["sessionId"]
        mode, model = opened["configOptions"]
        assert (mode["category"], mode["currentValue"], model["category"]) == ("mode", "work", "model")
        assert model["currentValue"] == "demo"
        values = [option["value"] for option in model["options"]]
        changed = await ours.ask("session/set_config_option", sessionId=session, configId="model", value=values[-1])
        assert changed["configOptions"][1]["currentValue"] == values[-1]
        assert await ours.prompts(session, "[[say:Chosen.]]") == "end_turn"
        used = await replica.pool.fetchval("SELECT model FROM messages WHERE role = 'user'")
        assert used == values[-1]
        for wrong in ({"configId": "model", "value": "none"}, {"configId": "nothing", "value": "demo"}):
            refused = await ours.begin("session/set_config_option", sessionId=session, **wrong)
            assert refused["error"]["code"] == -32602
        assert (await ours.ask("session/load", sessionId=session, cwd="/tmp", mcpServers=[]))["configOptions"]


@pytest.mark.parametrize("choice", ["raise", "decline"])
async def test_a_budget_that_is_used_up_is_put_to_the_editor(replica: InProcessReplica, choice: str) -> None:
    chat_id, card = (
        ChatId(uuid4()),
        NewCard(organisation_id=replica.organisation, owner_id=replica.user, title="A chat"),
    )
    message = replica.says("[[say:Going on.]]")
    await replica.machine.create(chat_id, card, [Create((message,), budget_limit=1)])
    await replica.until(chat_id, lambda chat: chat.status is Status.REQUIRES_ACTION)
    async with editor(replica) as ours:
        ours.choice = choice
        await ours.ask("session/load", sessionId=str(chat_id), cwd="/tmp", mcpServers=[])
        await ours.is_asked()
        await replica.until(chat_id, lambda chat: chat.status in AT_REST)
        (asked,) = ours.permissions
        assert asked["toolCall"]["title"] == "The budget of US$0.00 is used up."
        assert ("Going on." in await replica.said(chat_id)) == (choice == "raise")


async def test_a_session_that_is_closed_stops_and_stays(replica: InProcessReplica) -> None:
    async with editor(replica) as ours:
        session = (await ours.ask("session/new", cwd="/tmp", mcpServers=[]))["sessionId"]
        said = [{"type": "text", "text": "[[say:Some words.]] [[gate:never]] [[say:Not these.]]"}]
        answer = ours.begin("session/prompt", sessionId=session, prompt=said)
        await ours.hears("Some")
        assert await ours.ask("session/close", sessionId=session) == {}
        assert (await answer)["result"] == {"stopReason": "cancelled"}
        assert (await ours.begin("session/prompt", sessionId=session, prompt=said))["error"]["code"] == -32002
        assert [each["sessionId"] for each in (await ours.ask("session/list"))["sessions"]] == [session]


def test_an_edit_is_shown_as_what_it_changes() -> None:
    edits = [{"old_text": "a", "new_text": "b"}, {"old_text": "c", "new_text": "d"}]
    shown = call_of("1", "edit_files", msgspec.json.encode({"files": [{"path": "x.py", "edits": edits}]}).decode())
    assert shown["content"] == [
        {"type": "diff", "path": "x.py", "oldText": "a", "newText": "b"},
        {"type": "diff", "path": "x.py", "oldText": "c", "newText": "d"},
    ]
    assert shown["locations"] == [{"path": "x.py"}]


@pytest.mark.parametrize(
    ("plan", "steps"),
    [
        ("# Tea\n\n1. Boil water.\n2) Wait.\n- Drink.", ["Boil water.", "Wait.", "Drink."]),
        ("Just do it.", ["Just do it."]),
        (None, []),
    ],
)
def test_a_proposed_plan_is_a_list_of_steps(plan: str | None, steps: list[str]) -> None:
    args = msgspec.json.encode({"title": "Tea", "plan": plan}).decode()
    call = ToolCall("c", "propose_plan", args)
    told = [update for update in updates_of([Called(call)]) if update["sessionUpdate"] == "plan"]
    assert [entry["content"] for update in told for entry in update["entries"]] == steps
    # A plan that is in a file is known with the result.
    returned = Returned(ToolResult("c", "propose_plan", msgspec.json.encode({"title": "", "plan": "- One."}).decode()))
    assert [update["sessionUpdate"] for update in updates_of([returned])] == ["tool_call_update", "plan"]


def test_what_a_call_prints_is_shown_while_it_runs() -> None:
    running = Running()
    deltas = (
        ToolResultDelta(0, "c", "execute", "one\n"),
        ToolResultDelta(0, "c", "execute", "two\n"),
        ToolResultDelta(0, "c", "execute", "x" * PRINTED),
        ToolResultDelta(0, "c", "execute", "again", result_reset=True),
    )
    told = [update for delta in deltas if (update := running.update(delta))]
    assert {(update["toolCallId"], update["status"]) for update in told} == {("c", "in_progress")}
    shown = [update["content"][0]["content"]["text"] for update in told]
    assert shown == ["one\n", "one\ntwo\n", "x" * PRINTED, "again"]
    assert running.update(ToolResultDelta(0, "c", "execute", "all of it", done=True)) is None


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
