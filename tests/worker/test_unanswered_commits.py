"""The row changes while the runner waits for the answer to a commit of its own: what it began counts for nothing.

One connection to Postgres stalls, before or after the server carried the commit out. Meanwhile another replica stops
the turn, edits its question, says something else or takes the chat, and the runner hears of it at once.
"""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from dataclasses import dataclass, field
from uuid import uuid4

import pytest
import pytest_asyncio

from perdure.agent.decision import Policy
from perdure.agent.prepare import Rules
from perdure.core.card import NewCard
from perdure.core.chat import Busy, Chat, State, Status
from perdure.core.errors import TransitionNotAllowed
from perdure.core.ids import ChatId, ModelName, ReplicaId, RunnerId
from perdure.core.message import NewMessage, Role, ToolCall
from perdure.core.notice import Notice, Topic
from perdure.machine.announcer import Announcer, notices_of
from perdure.machine.change import Owner
from perdure.machine.machine import Machine
from perdure.machine.transitions import (
    Abandon,
    Acquire,
    CommitStep,
    Create,
    EditMessage,
    Interrupt,
    RequestCompaction,
    SendMessage,
    SetArchived,
)
from perdure.proof.proxy import Fate, Proxy
from perdure.sim.recording import Recorded
from perdure.sim.script import Script, Step, Text
from perdure.sim.server import Simulator
from perdure.store.execution import Execution
from perdure.store.pool import open_pool
from perdure.store.pubsub import LocalBus
from perdure.testing.clock import HurriedClock
from perdure.testing.pgbouncer import prepares
from perdure.testing.polling import seen
from perdure.testing.postgres import Databases
from perdure.testing.replica import InProcessReplica, open_replica
from perdure.tools.builtin import AGENT_TOOLS
from perdure.tools.tool import Effect, Tool, ToolContext, tool

pytestmark = pytest.mark.asyncio(loop_scope="module")

OLD = "[[say:old answer]]"
NEW = "[[script:new]] new question"
STEER = "new question, please"
ENDED = frozenset({Status.WAITING, Status.ERROR, Status.REQUIRES_ACTION})
MOST_COMMITS = 12


@dataclass
class World:
    """A replica behind a proxy, and what somebody else does beside it."""

    replica: InProcessReplica
    proxy: Proxy
    sim: Simulator
    beside: Machine
    payments: list[str] = field(default_factory=list[str])

    def payment(self) -> Tool:
        @tool(Effect.ONCE)
        async def pay(ctx: ToolContext) -> str:
            """Pay somebody, for good."""
            self.payments.append(str(ctx.key))
            return "paid"

        return pay

    async def asks(self, text: str, *, model: str | None = None, budget: int | None = None) -> ChatId:
        """A chat that runs and that nobody drives yet."""
        chat_id, replica = ChatId(uuid4()), self.replica
        card = NewCard(organisation_id=replica.organisation, owner_id=replica.user, title="A chat", model=model)
        await self.beside.create(chat_id, card, [Create((replica.says(text, model=model),), budget_limit=budget)])
        return chat_id

    async def answered(self, *texts: str, model: str | None = None) -> ChatId:
        """A chat with some turns behind it, at rest."""
        chat_id = await self.asks(texts[0], model=model)
        await self.driven()
        await self.ends(chat_id)
        for text in texts[1:]:
            await self.beside.change(chat_id, SendMessage(self.replica.says(text)))
            await self.driven()
            await self.ends(chat_id)
        return chat_id

    async def driven(self) -> None:
        await self.replica.worker.acquirer.once()

    async def ends(self, chat_id: ChatId) -> Chat:
        await seen(lambda: self._ended(chat_id))
        return await self.replica.until(chat_id, lambda row: row.status in ENDED and not row.owned)

    async def _ended(self, chat_id: ChatId) -> bool:
        """Not through the proxy: what is lost there is meant for the runner."""
        row = await self.beside.load(chat_id)
        return row.status in ENDED and not row.owned

    async def hears(self, chat: Chat) -> None:
        self.replica.bus.publish(notices_of(chat))
        await self.replica.worker.runners.looked()

    async def hears_only(self, chat: Chat) -> None:
        """It was told that the row moved, and still waits for the row."""
        await self._hears_while_reads_have(Fate.HOLD_REQUEST, notices_of(chat))
        self.proxy.decide = lambda _: Fate.CARRY

    async def hears_and_cannot_read(self, chat: Chat) -> None:
        """It was told that the row moved; the row cannot be read now, and not right after the commit."""
        await self._hears_while_reads_have(Fate.LOSE_REQUEST, notices_of(chat))
        await self.replica.worker.runners.looked()
        self.proxy.decide = First(Fate.LOSE_REQUEST)

    async def hears_of_a_gap_and_cannot_read(self, _: Chat) -> None:
        """It was told that it may have missed something; the row cannot be read now, and not right after the commit."""
        await self._hears_while_reads_have(Fate.LOSE_REQUEST, [Notice(Topic.GAP)])
        await self.replica.worker.runners.looked()
        self.proxy.decide = First(Fate.LOSE_REQUEST)

    async def goes_deaf(self, _: Chat) -> None:
        """The connection that notices come by is lost, and the notice with it."""
        self.replica.bus.publish([Notice(Topic.DEAF)])

    async def _hears_while_reads_have(self, fate: Fate, notices: Sequence[Notice]) -> None:
        reading = asyncio.Event()

        def decided(commit: bool) -> Fate:
            if commit:
                return Fate.CARRY
            reading.set()
            return fate

        self.proxy.decide = decided
        self.replica.bus.publish(notices)
        await reading.wait()

    async def idle(self) -> None:
        """Nothing is driven here any more."""
        async with asyncio.timeout(60):
            while len(self.replica.worker.runners):  # noqa: ASYNC110 - a runner tells nobody that it ends
                await asyncio.sleep(0.001)


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def shared_world(databases: Databases) -> AsyncIterator[World]:
    """One replica for all tests: each makes its own chats, and most of what a test took was to begin a replica."""
    async with (
        databases.fresh() as url,
        open_pool(url, prepare=prepares(url)) as pool,
        Simulator(rate=None) as sim,
        Proxy(url).running() as proxy,
        open_pool(proxy.url) as through,
        open_replica(url, through, sim.url, clock=HurriedClock(20)) as replica,
    ):
        # A script, since directives of several messages in a row add up.
        sim.script(Script("new", (Step((Text("new answer"),)),)))
        yield World(replica, proxy, sim, Machine(Execution(pool), Announcer(LocalBus())))


@pytest.fixture
def world(shared_world: World) -> World:
    """With what a test begins with, whatever the last one chose."""
    shared_world.payments.clear()
    replica = shared_world.replica
    replica.tools.tools = (shared_world.payment(), alone())
    replica.models.fallbacks = {}
    replica.sources.rules_now = Rules()
    return shared_world


def alone() -> Tool:
    @tool(Effect.READS, exclusive=True)
    async def ponder(_: ToolContext) -> str:
        """Must not be called beside another call."""
        return "thought"

    return ponder


Begin = Callable[[World], Awaitable[ChatId]]

# What the runner is in the middle of.


async def an_answer(world: World) -> ChatId:
    return await world.asks(OLD)


async def an_answer_that_pays(world: World) -> ChatId:
    return await world.asks(f"[[call:pay]] {OLD}")


async def calls_of_another_runner(world: World) -> ChatId:
    """A replica got as far as the call, and let go."""
    gone, chat_id = Owner(ReplicaId(uuid4()), RunnerId(uuid4())), ChatId(uuid4())
    card = NewCard(organisation_id=world.replica.organisation, owner_id=world.replica.user, title="A chat")
    await world.beside.create(chat_id, card, [Create((world.replica.says(f"[[call:pay]] {OLD}"),)), Acquire(gone)])
    call = NewMessage(role=Role.ASSISTANT, parts=(ToolCall("call_0", "pay", "{}"),))
    await world.beside.change(chat_id, CommitStep(messages=(call,)), Abandon())
    return chat_id


async def a_compaction_by_hand(world: World) -> ChatId:
    chat_id = await world.answered(*(f"[[say:200 tokens]] {turn}" for turn in range(3)))
    await world.beside.change(chat_id, RequestCompaction())
    return chat_id


async def a_compaction_after_a_refusal(world: World) -> ChatId:
    chat_id = await world.answered(*(f"[[say:300 tokens]] {turn}" for turn in range(3)))
    await world.beside.change(chat_id, SendMessage(world.replica.says(f"[[fault:overflow x1]] {OLD}")))
    return chat_id


async def an_interruption(world: World) -> ChatId:
    chat_id = await world.asks(f"[[call:pay]] {OLD}")
    await world.beside.change(chat_id, Interrupt())
    return chat_id


async def an_interruption_with_a_queue(world: World) -> ChatId:
    chat_id = await world.asks("hello")
    await world.beside.change(chat_id, SendMessage(world.replica.says(f"[[call:pay]] {OLD}"), Busy.INTERRUPT))
    return chat_id


async def a_retry(world: World) -> ChatId:
    return await world.asks(f"[[fault:overloaded x1]] {OLD}")


async def another_model(world: World) -> ChatId:
    world.replica.models.fallbacks = {"first": (ModelName("second"),)}
    return await world.asks(f"[[fault:overloaded x3]] {OLD}", model="first")


async def a_failure(world: World) -> ChatId:
    return await world.asks("[[fault:400]]")


async def a_budget(world: World) -> ChatId:
    return await world.asks(f"[[call:pay]] {OLD}", budget=10_000_000)


async def a_budget_that_is_used_up(world: World) -> ChatId:
    return await world.asks(OLD, budget=0)


async def an_approval(world: World) -> ChatId:
    world.replica.sources.rules_now = Rules(policies={"pay": Policy.ASK})
    return await world.asks(f"[[call:pay]] {OLD}")


async def a_refused_batch(world: World) -> ChatId:
    return await world.asks(f"[[call:pay]] [[call:ponder]] {OLD}")


async def the_step_limit(world: World) -> ChatId:
    world.replica.sources.rules_now = Rules(step_limit=1)
    return await world.asks(f"[[call:ponder]] {OLD}")


async def a_wait_for_agents(world: World) -> ChatId:
    world.replica.tools.tools = (*world.replica.tools.tools, *AGENT_TOOLS)
    return await world.asks(f'[[call:wait_agent {{"ids": ["{uuid4()}"]}}]] {OLD}')


DUTIES: Sequence[Begin] = [
    an_answer,
    an_answer_that_pays,
    calls_of_another_runner,
    a_compaction_by_hand,
    a_compaction_after_a_refusal,
    an_interruption,
    an_interruption_with_a_queue,
    a_retry,
    another_model,
    a_failure,
    a_budget,
    a_budget_that_is_used_up,
    an_approval,
    a_refused_batch,
    the_step_limit,
    a_wait_for_agents,
]


# What happens to the row meanwhile, and what must have come of it in the end.


class Stop:
    """Nothing is asked and nothing is paid any more."""

    async def happens(self, world: World, chat: Chat) -> Chat:
        if chat.status is not Status.RUNNING or chat.queue:
            raise NotNow
        return (await world.beside.change(chat.id, Interrupt())).chat

    async def holds(self, world: World, chat: ChatId, after: "After") -> None:
        rested = await world.ends(chat)
        assert (rested.state, rested.last_error, rested.open_calls) == (State.W, None, ())
        assert (after.asked, after.paid) == ([], [])


class Edit:
    """The new question has its own answer, and nobody is asked the old one."""

    async def happens(self, world: World, chat: Chat) -> Chat:
        says = world.replica.says(NEW)
        edited = await world.beside.edit(chat.id, chat.turn, lambda target: lambda _: [EditMessage(target, says)])
        return edited.chat

    async def holds(self, world: World, chat: ChatId, after: "After") -> None:
        rested = await world.ends(chat)
        if rested.budget_limit == 0:
            assert after.asked == []
            return
        assert (rested.state, rested.last_error) == (State.W, None)
        assert (await world.replica.said(chat))[-2:] == [NEW, "new answer"]
        assert [("new question" in text, "old answer" in text) for text in after.asked] == [(True, False)]
        assert after.paid == []


class Interruption:
    """Another message, now: it is answered, and the old turn goes no further."""

    async def happens(self, world: World, chat: Chat) -> Chat:
        if chat.status is not Status.RUNNING or chat.queue or chat.budget_limit == 0:
            raise NotNow
        return (await world.beside.change(chat.id, SendMessage(world.replica.says(NEW), Busy.INTERRUPT))).chat

    async def holds(self, world: World, chat: ChatId, after: "After") -> None:
        rested = await world.ends(chat)
        assert (rested.state, rested.last_error) == (State.W, None)
        assert (await world.replica.said(chat))[-2:] == [NEW, "new answer"]
        assert ["new question" in text for text in after.asked] == [True]
        assert after.paid == []


class Steering:
    """A message for the turn that goes on: the model hears of it, and a payment happens once."""

    async def happens(self, world: World, chat: Chat) -> Chat:
        if chat.status is not Status.RUNNING or chat.budget_limit == 0:
            raise NotNow
        return (await world.beside.change(chat.id, SendMessage(world.replica.says(STEER), Busy.STEER))).chat

    async def holds(self, world: World, chat: ChatId, after: "After") -> None:
        rested = await world.ends(chat)
        assert rested.status is not Status.RUNNING
        assert len(world.payments) <= 1
        if rested.status is Status.WAITING:
            assert STEER in await world.replica.said(chat)
            assert "new question" in after.asked[-1]


class Takeover:
    """Another replica drives the chat from now on: this one does nothing more."""

    async def happens(self, world: World, chat: Chat) -> Chat:
        if chat.status not in (Status.RUNNING, Status.INTERRUPTING):
            raise NotNow
        other = Owner(ReplicaId(uuid4()), RunnerId(uuid4()))
        await world.replica.pool.execute(
            "INSERT INTO replicas (id, version, seen_at) VALUES ($1, 'other', now() + interval '1 hour')",
            other.worker_id,
        )
        return (await world.beside.change(chat.id, Acquire(other, chat.worker_id))).chat

    async def holds(self, world: World, chat: ChatId, after: "After") -> None:
        await world.idle()
        row = await world.beside.load(chat)
        assert row.owned
        assert (after.asked, after.paid) == ([], [])


class Archive:
    """A chat that has come to rest is put away, and stays so."""

    async def happens(self, world: World, chat: Chat) -> Chat:
        if chat.status not in (Status.WAITING, Status.ERROR):
            raise NotNow
        return (await world.beside.change(chat.id, SetArchived(archived=True))).chat

    async def holds(self, world: World, chat: ChatId, after: "After") -> None:
        await world.idle()
        row = await world.beside.load(chat)
        assert (row.archived, row.owned) == (True, False)
        assert (after.asked, after.paid) == ([], [])


class NotNow(Exception):
    """What was to happen has no meaning where the chat is."""


Event = Stop | Edit | Interruption | Steering | Takeover | Archive
EVENTS: Sequence[Event] = [Stop(), Edit(), Interruption(), Steering(), Takeover(), Archive()]


@dataclass(frozen=True)
class After:
    """What came after the runner had heard of it."""

    world: World
    requests: int
    payments: int

    @property
    def asked(self) -> list[str]:
        """What models were told. A summary is asked for about everything: it is nobody's question."""
        return [_body(request) for request in self.world.sim.requests[self.requests :]]

    @property
    def paid(self) -> list[str]:
        return self.world.payments[self.payments :]


def _body(request: Recorded) -> str:
    return bytes(request.body).decode()


class Nth:
    """The fate of one commit out of several."""

    def __init__(self, which: int, fate: Fate) -> None:
        self.left = which
        self.fate = fate

    def __call__(self, commit: bool) -> Fate:
        self.left -= commit
        return self.fate if commit and self.left == -1 else Fate.CARRY


class First:
    """The fate of the first request that is no commit."""

    def __init__(self, fate: Fate) -> None:
        self._fates = [fate]

    def __call__(self, commit: bool) -> Fate:
        return Fate.CARRY if commit or not self._fates else self._fates.pop()


Hear = Callable[[World, Chat], Awaitable[None]]


async def trial(world: World, begin: Begin, event: Event, commit: Nth, hears: Hear = World.hears) -> bool:
    """Whether there was such a commit."""
    async with asyncio.timeout(60):
        return await _trial(world, begin, event, commit, hears)


async def _trial(world: World, begin: Begin, event: Event, commit: Nth, hears: Hear) -> bool:
    world.payments.clear()
    chat = await begin(world)
    world.proxy.decide = commit
    driving = asyncio.create_task(world.driven())
    resting, held = asyncio.create_task(world.ends(chat)), asyncio.create_task(world.proxy.holding.wait())
    await asyncio.wait({resting, held}, return_when=asyncio.FIRST_COMPLETED)
    try:
        if not world.proxy.holding.is_set():
            return False
        resting.cancel()
        try:
            moved = await event.happens(world, await world.beside.load(chat))
        except (NotNow, TransitionNotAllowed):
            return True
        await hears(world, moved)
        after = After(world, len(world.sim.requests), len(world.payments))
        world.proxy.let_go()
        await event.holds(world, chat, after)
        return True
    finally:
        world.proxy.decide = lambda _: Fate.CARRY
        world.proxy.let_go()
        held.cancel()
        await asyncio.wait({driving, resting, held})
        if not isinstance(event, Takeover):
            await world.replica.until(chat, lambda row: row.status in ENDED)
        await world.idle()


@pytest.mark.parametrize("event", EVENTS, ids=lambda event: type(event).__name__.lower())
@pytest.mark.parametrize("begin", DUTIES, ids=lambda begin: begin.__name__)
async def test_what_happens_during_a_commit_is_heeded_after_it(world: World, begin: Begin, event: Event) -> None:
    for fate in (Fate.HOLD_ANSWER, Fate.HOLD_REQUEST):
        commits = 0
        while await trial(world, begin, event, Nth(commits, fate)):
            commits += 1
            assert commits < MOST_COMMITS
        assert commits > 0


@pytest.mark.parametrize(
    "hears",
    [World.hears_only, World.hears_and_cannot_read, World.hears_of_a_gap_and_cannot_read, World.goes_deaf],
    ids=lambda hears: hears.__name__,
)
@pytest.mark.parametrize("event", [Stop(), Edit(), Takeover()], ids=lambda event: type(event).__name__.lower())
@pytest.mark.parametrize("begin", DUTIES, ids=lambda begin: begin.__name__)
async def test_what_was_only_heard_of_during_a_commit_is_read_before_anything_is_begun(
    world: World, begin: Begin, event: Event, hears: Hear
) -> None:
    commits = 0
    while await trial(world, begin, event, Nth(commits, Fate.HOLD_ANSWER), hears):
        commits += 1
        assert commits < MOST_COMMITS
    assert commits > 0
