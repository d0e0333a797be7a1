"""Questions and plans: what ends a turn, and what is refused."""

from typing import Any

import pytest

from perdure.core.chat import State
from perdure.core.ids import ChatId
from perdure.sim.script import Call, Script, Step
from perdure.sim.script import Text as Says
from perdure.sim.server import Simulator
from perdure.testing.replica import InProcessReplica
from perdure.tools.ask_user_question import ASKED
from perdure.tools.call import Mode
from perdure.tools.propose_plan import PROPOSED
from perdure.tools.shipped import SHIPPED

QUESTION = {"question": "Where?", "options": [{"label": "Here"}, {"label": "There", "description": "Further."}]}


async def planned(replica: InProcessReplica, sim: Simulator, tool: str, arguments: dict[str, Any]) -> list[str]:
    """What is in a planning chat after its model made this call, and went on if it could."""
    replica.tools.tools = SHIPPED
    sim.script(Script("planner", (Step((Call(tool, arguments),)), Step((Says("I go on."),)))))
    chat = await replica.someone_asks("[[script:planner]]", plan_mode=True)
    assert (await replica.comes_to_rest(chat)).state is State.W
    return (await replica.said(chat))[2:]


async def test_questions_end_the_turn(replica: InProcessReplica, sim: Simulator) -> None:
    heard = await planned(replica, sim, "ask_user_question", {"questions": [QUESTION, QUESTION]})
    assert heard == [f"ask_user_question: {ASKED}"]


async def test_a_plan_ends_the_turn(replica: InProcessReplica, sim: Simulator) -> None:
    assert await planned(replica, sim, "propose_plan", {"title": "T", "plan": "Do it."}) == [
        f"propose_plan: {PROPOSED}"
    ]


async def asks(replica: InProcessReplica, chat: ChatId) -> str | None:
    return await replica.pool.fetchval("SELECT asks FROM cards WHERE id = $1", chat)


async def told(replica: InProcessReplica, chat: ChatId) -> list[str]:
    """What its owner heard of a chat, in order."""
    rows = await replica.pool.fetch("SELECT kind FROM inbox WHERE chat_id = $1 ORDER BY created_at", chat)
    return [row["kind"] for row in rows]


@pytest.mark.parametrize(
    ("call", "asked"),
    [
        (Call("ask_user_question", {"questions": [QUESTION]}), "question"),
        (Call("propose_plan", {"title": "T", "plan": "Do it."}), "plan"),
    ],
    ids=["question", "plan"],
)
async def test_a_card_says_what_a_chat_asks_until_somebody_answers(
    replica: InProcessReplica, sim: Simulator, call: Call, asked: str
) -> None:
    replica.tools.tools = SHIPPED
    sim.script(Script("asker", (Step((call,)),)))
    chat = await replica.someone_asks("[[script:asker]]", plan_mode=True)
    await replica.comes_to_rest(chat)
    assert await asks(replica, chat) == asked
    assert await told(replica, chat) == ["needs_you"]
    await replica.someone_adds(chat, "[[say:Thanks.]]")
    await replica.comes_to_rest(chat)
    assert await asks(replica, chat) is None
    assert await told(replica, chat) == ["needs_you", "finished"]


@pytest.mark.parametrize(
    ("tool", "arguments", "complaint"),
    [
        ("ask_user_question", {"questions": []}, "schema"),
        ("ask_user_question", {"questions": [{"question": "Where?", "options": [{"label": "Here"}]}]}, "schema"),
        ("ask_user_question", {"questions": [{**QUESTION, "options": [{"label": n} for n in "abcde"]}]}, "schema"),
        ("ask_user_question", {"questions": [{**QUESTION, "options": [{"label": "a"}] * 2}]}, "are the same"),
        ("ask_user_question", {"questions": [{**QUESTION, "question": "  "}]}, "is blank"),
        ("propose_plan", {"title": "T", "plan": " \n"}, "The plan is empty"),
        ("propose_plan", {"title": "T", "plan": "ä" * 16_385}, "at most 32768 are shown"),
        ("propose_plan", {"title": "", "plan": "x"}, "schema"),
    ],
)
async def test_what_makes_no_sense_is_told_and_the_turn_goes_on(
    replica: InProcessReplica, sim: Simulator, tool: str, arguments: dict[str, Any], complaint: str
) -> None:
    refusal, after = await planned(replica, sim, tool, arguments)
    assert refusal.startswith(f"{tool} failed: ")
    assert complaint in refusal
    assert after == "I go on."


def test_which_tools_each_kind_of_chat_is_offered() -> None:
    offered = {mode: {tool.name for tool in SHIPPED if mode in tool.modes} for mode in Mode}
    reading = {"read_file", "search_files", "list_files", "execute", "process_output", "process_list", "recall"}
    reading |= {"read_skill", "read_skill_file"}
    agents = {
        "spawn_agent", "wait_agent", "message_agent", "interrupt_agent", "list_agents", "list_subagent_models",
    }  # fmt: skip
    planning = {"ask_user_question", "propose_plan", "write_file", "edit_files", "list_templates", "read_template"}
    assert offered[Mode.EXPLORE] == reading
    assert offered[Mode.PLAN] == reading | agents | planning
    assert offered[Mode.CHILD] == reading | agents | {"write_file", "edit_files", "attach_file", "process_signal"}
    assert not {"ask_user_question", "propose_plan"} & offered[Mode.ROOT]
