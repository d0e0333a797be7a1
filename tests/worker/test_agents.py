"""Agents of a chat on one replica: started, waited for, addressed, stopped."""

import asyncio
from typing import Any
from uuid import NAMESPACE_URL, UUID, uuid4, uuid5

import msgspec
import pytest

from perdure.core.action import ActionKind
from perdure.core.card import NewCard
from perdure.core.chat import Busy, Chat, State, Status
from perdure.core.errors import Fenced
from perdure.core.fence import Fence
from perdure.core.ids import ChatId, ModelName, ReplicaId, RunnerId
from perdure.core.message import NewMessage, Role, Text, ToolResult
from perdure.machine.change import Owner
from perdure.machine.transitions import Abandon, Acquire, CommitStep, Create, FinishTurn, Interrupt, SendMessage
from perdure.sim.script import Call, Fault, GatePart, Script, Step
from perdure.sim.script import Text as Says
from perdure.sim.server import Simulator
from perdure.testing.replica import PATIENCE, InProcessReplica
from perdure.tools.agents import message_agent, spawn_agent
from perdure.tools.builtin import AGENT_TOOLS
from perdure.tools.call import CallKey, Mode, ModelContext, ToolFailed
from perdure.tools.tool import ToolContext

GONE = "00000000-0000-4000-8000-000000000000"


def child_of(chat: ChatId, index: int = 0, *, message: int = 2) -> ChatId:
    return ChatId(uuid5(NAMESPACE_URL, f"agent:{chat}/{message}/{index}/0"))


def spawns(*prompts: str, kind: str = "general", **more: Any) -> Step:
    return Step(tuple(Call("spawn_agent", {"type": kind, "prompt": prompt, **more}) for prompt in prompts))


def waits(*ids: ChatId, **more: Any) -> Step:
    return Step((Call("wait_agent", {"ids": [str(one) for one in ids], **more}),))


class Parent:
    """A chat with agents, and the script that its model follows."""

    def __init__(self, replica: InProcessReplica, sim: Simulator) -> None:
        self.replica = replica
        self.sim = sim
        self.id = ChatId(uuid4())
        replica.tools.tools = AGENT_TOOLS

    def child(self, index: int = 0) -> ChatId:
        return child_of(self.id, index)

    async def follows(self, *steps: Step, **card: Any) -> None:
        self.sim.script(Script("parent", steps))
        await self.replica.someone_asks("[[script:parent]]", chat_id=self.id, **card)

    async def parked(self) -> Chat:
        return await self.replica.until(self.id, lambda chat: chat.status is Status.REQUIRES_ACTION)

    async def results(self, tool: str) -> list[ToolResult]:
        messages = await self.replica.messages(self.id)
        parts = [part for message in messages for part in message.parts]
        return [part for part in parts if isinstance(part, ToolResult) and part.tool == tool]

    async def heard(self) -> list[dict[str, Any]]:
        """What the waits said, one list of agents after the other."""
        return [agent for r in await self.results("wait_agent") for agent in msgspec.json.decode(r.result)["agents"]]


@pytest.fixture
def parent(replica: InProcessReplica, sim: Simulator) -> Parent:
    return Parent(replica, sim)


async def test_an_agent_works_and_its_report_wakes_the_parent(
    replica: InProcessReplica, sim: Simulator, parent: Parent
) -> None:
    await parent.follows(
        spawns("[[gate:go]] [[say:4 tokens]]", title="Look around"), waits(parent.child()), Step((Says("All done."),))
    )
    parked = await parent.parked()
    assert parked.action is not None
    assert (parked.action.kind, parked.action.children) == (ActionKind.CHILDREN, (str(parent.child()),))
    assert (parked.worker_id, parked.runner_id) == (None, None)
    assert parked.action_deadline_at is not None
    await sim.gates["go"].set(open=True)
    rested = await replica.comes_to_rest(parent.id)
    assert rested.state is State.W
    (agent,) = await parent.heard()
    said = (await replica.messages(parent.child()))[-1].parts[0]
    assert isinstance(said, Text)
    assert agent == {
        "id": str(parent.child()),
        "status": "finished",
        "type": "general",
        "title": "Look around",
        "report": said.text,
    }
    assert (await replica.said(parent.id))[-1] == "All done."
    assert replica.numbers("perdure_agents_started_total", type="general") == 1
    assert replica.numbers("perdure_actions_total", kind="children") == 1


async def test_a_parent_that_waits_holds_no_slot(replica: InProcessReplica, sim: Simulator, parent: Parent) -> None:
    await parent.follows(spawns("[[gate:go]] [[say:1 tokens]]"), waits(parent.child()))
    await parent.parked()
    await sim.gates["go"].reached()
    driven = await replica.pool.fetch("SELECT id FROM chats WHERE worker_id IS NOT NULL")
    assert [row["id"] for row in driven] == [parent.child()]
    await only_drives(replica, 1)
    await sim.gates["go"].set(open=True)
    await replica.comes_to_rest(parent.id)


async def only_drives(replica: InProcessReplica, count: int) -> None:
    """Wait until so few chats have a runner here: it ends a moment after its last commit."""
    async with asyncio.timeout(PATIENCE):
        while len(replica.worker.runners) > count:  # noqa: ASYNC110
            await asyncio.sleep(0)


async def test_a_wait_ends_with_the_first_of_several(replica: InProcessReplica, sim: Simulator, parent: Parent) -> None:
    slow, fast = "[[gate:slow]] [[say:1 tokens]]", "[[gate:fast]] [[say:2 tokens]]"
    both = (parent.child(0), parent.child(1))
    await parent.follows(spawns(slow, fast), waits(*both), waits(parent.child(0)))
    await parent.parked()
    await sim.gates["fast"].set(open=True)
    again = await replica.until(
        parent.id, lambda chat: chat.action is not None and chat.action.children == (str(parent.child(0)),)
    )
    assert again.status is Status.REQUIRES_ACTION
    assert [agent["status"] for agent in await parent.heard()] == ["running", "finished"]
    await sim.gates["slow"].set(open=True)
    await replica.comes_to_rest(parent.id)
    assert [agent["status"] for agent in await parent.heard()] == ["running", "finished", "finished"]


async def test_a_wait_for_an_agent_at_rest_does_not_park(replica: InProcessReplica, parent: Parent) -> None:
    await parent.follows(spawns("[[say:1 tokens]]"), Step((GatePart("later"), *waits(parent.child()).parts)))
    await parent.sim.gates["later"].reached()
    await replica.comes_to_rest(parent.child())
    await parent.sim.gates["later"].set(open=True)
    rested = await replica.comes_to_rest(parent.id)
    assert [agent["status"] for agent in await parent.heard()] == ["finished"]
    # Created, called, started, called, answered, said: nobody parked in between.
    assert rested.snapshot_version == 6


async def test_a_deadline_ends_the_wait_and_leaves_the_agent_at_work(
    replica: InProcessReplica, sim: Simulator, parent: Parent
) -> None:
    await parent.follows(spawns("[[gate:go]] [[say:1 tokens]]"), waits(parent.child(), timeout=1))
    await replica.comes_to_rest(parent.id)
    (agent,) = await parent.heard()
    assert (agent["status"], agent["timed_out"], agent.get("report")) == ("running", True, None)
    (result,) = await parent.results("wait_agent")
    assert not result.is_error
    assert replica.numbers("perdure_agent_waits_ended_total", by="timed_out") == 1
    assert (await replica.machine.load(parent.child())).status is Status.RUNNING
    await sim.gates["go"].set(open=True)
    await replica.comes_to_rest(parent.child())


async def test_a_failed_agent_is_a_result_with_its_error(
    replica: InProcessReplica, sim: Simulator, parent: Parent
) -> None:
    sim.script(Script("broken", (Step((Fault("auth"),)),)))
    await parent.follows(spawns("[[script:broken]]"), waits(parent.child()))
    await replica.comes_to_rest(parent.id)
    (agent,) = await parent.heard()
    assert (agent["status"], agent["last_error"]["kind"]) == ("failed", "auth")
    assert not agent["last_error"].get("retryable", False)


async def test_a_sweep_wakes_a_parent_that_its_agent_did_not(
    replica: InProcessReplica, sim: Simulator, parent: Parent
) -> None:
    await parent.follows(Step((GatePart("later"), *waits(parent.child()).parts)))
    agent = await driven_elsewhere(replica, parent)
    await sim.gates["later"].set(open=True)
    await parent.parked()
    await only_drives(replica, 0)
    # The other replica ends the agent's turn and dies before it can tell anybody.
    answer = NewMessage(role=Role.ASSISTANT, parts=(Text("Looked."),))
    step = CommitStep(messages=(answer,), continues=False)
    await replica.machine.advance(agent, step, FinishTurn(), Abandon())
    await replica.comes_to_rest(parent.id)
    assert [(agent["status"], agent["report"]) for agent in await parent.heard()] == [("finished", "Looked.")]
    assert replica.numbers("perdure_agent_waits_ended_total", by="swept") == 1


async def driven_elsewhere(replica: InProcessReplica, parent: Parent) -> Chat:
    """An agent of the parent that another replica drives, whose lease outlasts the test."""
    owner = Owner(ReplicaId(uuid4()), RunnerId(uuid4()))
    await replica.pool.execute(
        "INSERT INTO replicas (id, version, seen_at) VALUES ($1, '', now() + interval '1 hour')", owner.worker_id
    )
    card = NewCard(
        organisation_id=replica.organisation,
        owner_id=replica.user,
        title="Look around",
        parent_id=parent.id,
        root_id=parent.id,
        agent_type="general",
    )
    started = [Create((replica.says("look"),)), Acquire(owner)]
    return (await replica.machine.create(parent.child(), card, started)).chat


async def test_interrupting_the_parent_stops_all_of_them(replica: InProcessReplica, parent: Parent) -> None:
    ids = [parent.child(index) for index in range(5)]
    await parent.follows(spawns(*["[[say:2 tokens]] [[gate:never]]"] * 5), waits(*ids))
    await parent.parked()
    await replica.machine.change(parent.id, Interrupt())
    rested = [await replica.comes_to_rest(chat) for chat in (parent.id, *ids)]
    assert {chat.state for chat in rested} == {State.W}
    assert {chat.owned for chat in rested} == {False}


async def test_a_stopped_agent_reports_as_interrupted(
    replica: InProcessReplica, sim: Simulator, parent: Parent
) -> None:
    stop = Step((GatePart("stop"), Call("interrupt_agent", {"id": str(parent.child())})))
    await parent.follows(spawns("[[say:2 tokens]] [[gate:never]]"), stop, waits(parent.child()))
    await sim.gates["never"].reached()
    await replica.shows(parent.child())
    await sim.gates["stop"].set(open=True)
    await replica.comes_to_rest(parent.id)
    assert [result.result for result in await parent.results("interrupt_agent")] == ["It was told to stop."]
    (agent,) = await parent.heard()
    assert (agent["status"], bool(agent["report"])) == ("interrupted", True)


async def test_a_message_reaches_an_agent_at_work_and_wakes_one_at_rest(
    replica: InProcessReplica, sim: Simulator, parent: Parent
) -> None:
    tell = Call("message_agent", {"id": str(parent.child()), "message": "[[say:3 tokens]] and the cellar"})
    sim.script(Script("child", (Step((GatePart("go"), Call("list_agents"))), Step((Says("Looked."),)))))
    await parent.follows(
        spawns("[[script:child]]"), Step((tell,)), waits(parent.child()), Step((tell,)), waits(parent.child())
    )
    await parent.parked()
    await sim.gates["go"].set(open=True)
    await replica.comes_to_rest(parent.id)
    assert [result.result for result in await parent.results("message_agent")] == [
        "It reads that before its next step.",
        "It starts on that now.",
    ]
    said = [message for message in await replica.messages(parent.child()) if message.role is Role.USER]
    assert [message.queued_as for message in said] == [None, 1, None]
    assert (await replica.machine.load(parent.child())).turn == said[2].number


async def test_a_steered_parent_hears_where_its_agents_stand(
    replica: InProcessReplica, sim: Simulator, parent: Parent
) -> None:
    await parent.follows(spawns("[[gate:go]] [[say:1 tokens]]"), waits(parent.child()))
    parked = await parent.parked()
    known = await replica.runner_services.waits.known(parked)
    await replica.machine.change(
        parent.id, SendMessage(replica.says("[[say:2 tokens]] never mind"), Busy.STEER, known=known)
    )
    rested = await replica.comes_to_rest(parent.id)
    (agent,) = await parent.heard()
    assert (agent["status"], "timed_out" in agent) == ("running", False)
    assert rested.turn == 1
    assert (await replica.said(parent.id))[-2].endswith("never mind")
    await sim.gates["go"].set(open=True)
    await replica.comes_to_rest(parent.child())


@pytest.mark.parametrize(
    ("arguments", "complaint"),
    [
        ({"ids": [GONE]}, f"You have no agent '{GONE}'"),
        ({"ids": ["not an id"]}, "You have no agent 'not an id'"),
        ({"ids": []}, "do not match the tool's schema"),
        ({"ids": [GONE], "timeout": 4000}, "do not match the tool's schema"),
    ],
)
async def test_a_wait_that_makes_no_sense_is_an_error_for_the_model(
    replica: InProcessReplica, parent: Parent, arguments: dict[str, Any], complaint: str
) -> None:
    await parent.follows(Step((Call("wait_agent", arguments),)), Step((Says("I see."),)))
    rested = await replica.comes_to_rest(parent.id)
    (result,) = await parent.results("wait_agent")
    assert result.is_error
    assert complaint in result.result
    assert rested.state is State.W


@pytest.mark.parametrize("tool", ["wait_agent", "message_agent", "interrupt_agent"])
async def test_an_agent_of_another_tree_cannot_be_addressed(
    replica: InProcessReplica, sim: Simulator, tool: str
) -> None:
    other = Parent(replica, sim)
    await other.follows(spawns("[[gate:go]] [[say:1 tokens]]"), waits(other.child()))
    await other.parked()
    arguments: dict[str, Any] = {"ids": [str(other.child())]} if tool == "wait_agent" else {"id": str(other.child())}
    if tool == "message_agent":
        arguments["message"] = "[[say:1 tokens]] come here"
    stranger = Parent(replica, sim)
    await stranger.follows(Step((Call(tool, arguments),)))
    await replica.comes_to_rest(stranger.id)
    (result,) = await stranger.results(tool)
    assert (result.is_error, "You have no agent" in result.result) == (True, True)
    assert len(await replica.messages(other.child())) == 1
    await sim.gates["go"].set(open=True)
    await replica.comes_to_rest(other.id)


def asking(
    replica: InProcessReplica, chat: Chat, *, index: int = 0, model: str | None = None, **more: Any
) -> ToolContext:
    """A call of a chat that nobody drives."""
    return ToolContext(
        key=CallKey(chat.id, 2, index),
        owner_id=replica.user,
        organisation_id=replica.organisation,
        home=chat.id,
        model_context=ModelContext(model=ModelName(model) if model else None),
        services=replica.tool_services,
        **more,
    )


async def at_rest(replica: InProcessReplica, **card: Any) -> Chat:
    return await replica.comes_to_rest(await replica.someone_asks("[[say:1 tokens]]", **card))


async def start(ctx: ToolContext, **more: Any) -> ChatId:
    output = await spawn_agent.run(ctx, {"type": "general", "prompt": "[[say:1 tokens]] look", **more})
    return ChatId(UUID(msgspec.json.decode(output.text)["id"]))


async def card_of(replica: InProcessReplica, chat_id: ChatId) -> Any:
    return await replica.pool.fetchrow("SELECT * FROM chat_cards WHERE id = $1", chat_id)


async def test_an_agent_inherits_what_its_parent_has(replica: InProcessReplica) -> None:
    workspace, settings = uuid4(), '{"approvals":{"execute":"ask"},"mcp_servers":["files"]}'
    chat = await at_rest(replica, workspace_id=workspace, settings=settings)
    child = await start(asking(replica, chat), type="explore", title="  Look   around ")
    card = await card_of(replica, child)
    assert (card["parent_id"], card["root_id"], card["owner_id"]) == (chat.id, chat.id, replica.user)
    assert (card["agent_type"], card["title"], card["source"]) == ("explore", "Look around", "agent")
    assert (card["workspace_id"], card["settings"]) == (workspace, settings)
    await replica.comes_to_rest(child)


async def test_an_agent_that_explores_keeps_the_servers_of_the_moment_it_was_started(replica: InProcessReplica) -> None:
    add = "INSERT INTO mcp_servers (id, organisation_id, slug, options) VALUES (gen_random_uuid(), $1, 'files', '{}')"
    await replica.pool.execute(add, replica.organisation)
    replica.config.changed(replica.organisation)
    chat = await at_rest(replica)
    explorer = await start(asking(replica, chat), type="explore")
    worker = await start(asking(replica, chat, index=1))
    assert (await card_of(replica, explorer))["settings"] == '{"mcp_servers":["files"]}'
    assert (await card_of(replica, worker))["settings"] == "{}"
    await replica.comes_to_rest(explorer)
    await replica.comes_to_rest(worker)


async def test_a_call_that_is_run_again_starts_and_says_nothing_twice(replica: InProcessReplica) -> None:
    chat = await at_rest(replica)
    first, again = await start(asking(replica, chat)), await start(asking(replica, chat))
    assert first == again
    await replica.comes_to_rest(first)
    tell = asking(replica, chat, index=1)
    for _ in range(2):
        await message_agent.run(tell, {"id": str(first), "message": "[[say:1 tokens]] more"})
        await replica.comes_to_rest(first)
    said = [message for message in await replica.messages(first) if message.role is Role.USER]
    assert len(said) == 2


async def test_a_runner_that_lost_its_chat_starts_no_agent(replica: InProcessReplica) -> None:
    chat = await at_rest(replica)
    stale = Fence(ReplicaId(uuid4()), RunnerId(uuid4()), Status.RUNNING, chat.history_version)
    with pytest.raises(Fenced):
        await start(asking(replica, chat, fence=stale))
    assert await replica.pool.fetchval("SELECT count(*) FROM chat_cards WHERE parent_id = $1", chat.id) == 0


async def test_so_many_agents_and_no_more(replica: InProcessReplica, sim: Simulator) -> None:
    await replica.sets(subagents={"working": 2})
    chat = await at_rest(replica)
    children = [
        await start(asking(replica, chat, index=index), prompt="[[gate:go]] [[say:1 tokens]]") for index in (0, 1)
    ]
    with pytest.raises(ToolFailed, match="2 agents work already"):
        await start(asking(replica, chat, index=2))
    await sim.gates["go"].set(open=True)
    for child in children:
        await replica.comes_to_rest(child)
    await replica.comes_to_rest(await start(asking(replica, chat, index=2)))


async def test_an_agent_stands_only_so_deep(replica: InProcessReplica) -> None:
    chat = await at_rest(replica)
    child = await replica.comes_to_rest(await start(asking(replica, chat)))
    with pytest.raises(ToolFailed, match="cannot start agents here"):
        await start(asking(replica, child))
    await replica.sets(subagents={"depth": 2})
    grandchild = await start(asking(replica, child))
    card = await card_of(replica, grandchild)
    assert (card["parent_id"], card["root_id"]) == (child.id, chat.id)
    await replica.comes_to_rest(grandchild)
    with pytest.raises(ToolFailed, match="cannot start agents here"):
        await start(asking(replica, await replica.machine.load(grandchild)))
    named = await replica.runner_services.family.named(chat.id, [str(grandchild)])
    assert [agent.parent_id for agent in named] == [child.id]


@pytest.mark.parametrize(
    ("argument", "personal", "deployment", "chosen"),
    [
        ("swift", "wise", "wise", "swift"),
        (None, "wise", "swift", "wise"),
        (None, None, "swift", "swift"),
        (None, None, None, "mine"),
        (None, "lost", "swift", "swift"),
        (None, "lost", "lost", "mine"),
    ],
)
async def test_whose_word_counts_about_the_model(
    replica: InProcessReplica, argument: str | None, personal: str | None, deployment: str | None, chosen: str
) -> None:
    await replica.offers("swift", "wise")
    await replica.sets(subagents={"explore_model": deployment})
    await replica.pool.execute(
        "INSERT INTO user_settings (user_id, name, value) VALUES ($1, 'subagents', $2)",
        replica.user,
        msgspec.json.encode({"explore_model": personal}).decode(),
    )
    chat = await at_rest(replica)
    child = await start(asking(replica, chat, model="mine"), type="explore", model=argument)
    assert (await card_of(replica, child))["model"] == chosen
    await replica.comes_to_rest(child)


async def test_a_model_that_there_is_not_is_refused(replica: InProcessReplica) -> None:
    await replica.offers("swift")
    with pytest.raises(ToolFailed, match="There is no model 'lost' to use"):
        await start(asking(replica, await at_rest(replica)), model="lost")


async def test_a_planning_chat_starts_only_agents_that_look(replica: InProcessReplica) -> None:
    planning = asking(replica, await at_rest(replica), mode=Mode.PLAN)
    with pytest.raises(ToolFailed, match="only agents of type explore"):
        await start(planning)
    await replica.comes_to_rest(await start(planning, type="explore"))
