"""Questions and plans: what ends a turn, and what is refused."""

from typing import Any
from uuid import uuid4

import msgspec
import pytest

from perdure.agent.decision import Policy
from perdure.agent.prepare import Rules
from perdure.agent.run_tools import PLANS_NOW
from perdure.core.chat import State
from perdure.core.ids import ChatId, OrganisationId, UserId
from perdure.sim.script import Call, GatePart, Script, Step
from perdure.sim.script import Text as Says
from perdure.sim.server import Simulator
from perdure.testing.replica import InProcessReplica
from perdure.tools.advisor import advisor
from perdure.tools.builtin import BUILTIN_TOOLS
from perdure.tools.call import ACTING, CallContext, CallKey, Mode, ToolFailed
from perdure.tools.computer.computer import computer
from perdure.tools.plans import ASKED, PROPOSED, plan_path, through_links
from perdure.tools.tool import Effect, Tool, ToolContext, tool
from perdure.workspaces.driver import Computer

QUESTION = {"question": "Where?", "options": [{"label": "Here"}, {"label": "There", "description": "Further."}]}


async def planned(replica: InProcessReplica, sim: Simulator, tool: str, arguments: dict[str, Any]) -> list[str]:
    """What is in a planning chat after its model made this call, and went on if it could."""
    replica.tools.tools = BUILTIN_TOOLS
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
    replica.tools.tools = BUILTIN_TOOLS
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
    offered = {mode: {tool.name for tool in BUILTIN_TOOLS if mode in tool.modes} for mode in Mode}
    reading = {"read_file", "search_files", "list_files", "execute", "process_output", "process_list", "recall"}
    reading |= {"read_skill", "read_skill_file", "search_memory"}
    agents = {
        "spawn_agent", "wait_agent", "message_agent", "interrupt_agent", "list_agents", "list_subagent_models",
    }  # fmt: skip
    planning = {"ask_user_question", "propose_plan", "write_file", "edit_files", "list_templates", "read_template"}
    assert offered[Mode.EXPLORE] == reading
    assert offered[Mode.PLAN] == reading | agents | planning
    acting = {"write_file", "edit_files", "attach_file", "process_signal", "open_pull_request", "remember"}
    assert offered[Mode.CHILD] == reading | agents | acting
    assert not {"ask_user_question", "propose_plan"} & offered[Mode.ROOT]


BOUND = {
    "write_file": "only the plan",
    "edit_files": "only the plan",
    "execute": "in a view that cannot be written to",
    "spawn_agent": "only those that explore",
    "message_agent": "only those that explore",
    "interrupt_agent": "what stops changes nothing",
}
"""Tools that do more than read and are offered to a chat that only looks, and what binds them there."""


def test_every_tool_of_a_chat_that_only_looks_reads_or_is_bound() -> None:
    screen = computer(Computer("true"))
    looking = [tool for tool in (*BUILTIN_TOOLS, advisor, screen) if tool.modes & {Mode.PLAN, Mode.EXPLORE}]
    assert {tool.name for tool in looking if tool.effect is not Effect.READS} == set(BOUND)
    exploring = [tool.name for tool in looking if Mode.EXPLORE in tool.modes and tool.effect is not Effect.READS]
    assert exploring == ["execute"]


@pytest.mark.parametrize("tool", ["write_file", "edit_files"])
def test_a_planning_chat_writes_its_plan_and_nothing_else(tool: str) -> None:
    context = CallContext(
        key=CallKey(ChatId(uuid4()), 1, 0),
        owner_id=UserId(uuid4()),
        organisation_id=OrganisationId(uuid4()),
        home=ChatId(uuid4()),
        mode=Mode.PLAN,
    )
    assert Mode.PLAN in next(each for each in BUILTIN_TOOLS if each.name == tool).modes
    assert through_links(context, plan_path(context.key.chat_id)) is False
    with pytest.raises(ToolFailed, match="Only its plan can be written"):
        through_links(context, plan_path(context.key.chat_id), "notes.txt")


def pays(paid: list[str]) -> Tool:
    @tool(Effect.ONCE, modes=ACTING)
    async def pay(_: ToolContext) -> str:
        """Pay somebody, for good."""
        paid.append("paid")
        return "paid"

    return pay


async def plans(replica: InProcessReplica, chat: ChatId) -> None:
    await replica.pool.execute("UPDATE chat_cards SET plan_mode = true WHERE id = $1", chat)


ACTS = [
    *(tool.name for tool in BUILTIN_TOOLS if tool.effect is not Effect.READS and Mode.ROOT in tool.modes),
    "pay",
    "page",
]


@pytest.mark.parametrize("name", ACTS)
async def test_a_turn_under_way_changes_nothing_once_its_chat_plans(
    replica: InProcessReplica, sim: Simulator, name: str
) -> None:
    paid: list[str] = []
    replica.tools.tools = (*BUILTIN_TOOLS, pays(paid))
    # Whatever asks first is allowed: what is asked about here is the plan.
    replica.sources.rules_now = Rules(policies={name: Policy.AUTO})
    sim.script(Script("actor", (Step((GatePart("plan"), Call(name, {}))), Step((Says("I see."),)))))
    chat = await replica.someone_asks("[[script:actor]]", client_tools='[{"name": "page"}]')
    await sim.gates["plan"].reached()
    await plans(replica, chat)
    await sim.gates["plan"].set(open=True)
    assert (await replica.comes_to_rest(chat)).state is State.W
    assert (await replica.said(chat))[2:] == [f"{name} failed: {PLANS_NOW}", "I see."]
    assert paid == []
    # The next step is asked with the tools of a chat that plans.
    offered = [tool["name"] for tool in msgspec.json.decode(bytes(sim.requests[-1].body))["tools"]]
    assert "propose_plan" in offered
    assert not {"pay", "page", "attach_file"} & set(offered)


@pytest.mark.parametrize("depth", [1, 2])
async def test_agents_of_a_planning_chat_only_look(replica: InProcessReplica, sim: Simulator, depth: int) -> None:
    paid: list[str] = []
    replica.tools.tools = (*BUILTIN_TOOLS, pays(paid))
    root = await replica.someone_asks("[[say:3 tokens]]")
    await replica.comes_to_rest(root)
    chats = [root]
    for _ in range(depth):
        family: dict[str, Any] = {"parent_id": chats[-1], "root_id": root, "agent_type": "general"}
        chats.append(await replica.someone_asks("[[say:3 tokens]]", **family))
        await replica.comes_to_rest(chats[-1])
    await plans(replica, root)
    await replica.someone_adds(chats[-1], "[[call:pay]] [[say:3 tokens]]")
    await replica.comes_to_rest(chats[-1])
    assert paid == []
    offered = {tool["name"] for tool in msgspec.json.decode(bytes(sim.requests[-1].body))["tools"]}
    assert offered == {tool.name for tool in BUILTIN_TOOLS if Mode.EXPLORE in tool.modes}


async def test_an_agent_at_work_stops_acting_when_its_parent_begins_to_plan(
    replica: InProcessReplica, sim: Simulator
) -> None:
    paid: list[str] = []
    replica.tools.tools = (*BUILTIN_TOOLS, pays(paid))
    root = await replica.someone_asks("[[say:3 tokens]]")
    await replica.comes_to_rest(root)
    agent = await replica.someone_asks(
        "[[gate:plan]] [[call:pay]] [[say:3 tokens]]", parent_id=root, root_id=root, agent_type="general"
    )
    await sim.gates["plan"].reached()
    await plans(replica, root)
    await sim.gates["plan"].set(open=True)
    await replica.comes_to_rest(agent)
    assert f"pay failed: {PLANS_NOW}" in await replica.said(agent)
    assert paid == []


@pytest.mark.parametrize(("kind", "heard"), [("general", " failed: While the chat plans"), ("explore", ": It ")])
async def test_a_planning_chat_speaks_only_to_agents_that_explore(
    replica: InProcessReplica, sim: Simulator, kind: str, heard: str
) -> None:
    replica.tools.tools = BUILTIN_TOOLS
    agent = ChatId(uuid4())
    tells = Call("message_agent", {"id": str(agent), "message": "Write it."})
    sim.script(Script("teller", (Step((tells,)), Step((Says("Well."),)))))
    root = await replica.someone_asks("[[say:3 tokens]]")
    await replica.comes_to_rest(root)
    family: dict[str, Any] = {"parent_id": root, "root_id": root, "agent_type": kind}
    await replica.someone_asks("[[say:3 tokens]]", chat_id=agent, **family)
    rested = await replica.comes_to_rest(agent)
    await plans(replica, root)
    await replica.someone_adds(root, "[[script:teller]]")
    await replica.comes_to_rest(root)
    assert (await replica.said(root))[-2].startswith(f"message_agent{heard}")
    told = (await replica.machine.load(agent)).history_version > rested.history_version
    assert told is (kind == "explore")
