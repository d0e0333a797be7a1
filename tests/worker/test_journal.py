"""What the journal is told, what is forgotten again, and what a result that comes late is good for."""

from dataclasses import replace
from uuid import uuid4

import pytest

from perdure.agent.journaling import known, uncertain
from perdure.core.action import ActionKind, CallKind, Decision, OpenCall, Verdict
from perdure.core.card import NewCard
from perdure.core.chat import State, Status
from perdure.core.errors import Fenced, WorkspaceLost
from perdure.core.fence import Fence
from perdure.core.ids import ChatId, ReplicaId, RunnerId
from perdure.core.message import NewMessage, Role, ToolCall
from perdure.machine.change import Owner
from perdure.machine.transitions import Acquire, CommitStep, CompleteRequiresAction, Create, Interrupt
from perdure.store.journal import CallRun, Entry, Failover, Journal
from perdure.testing.replica import InProcessReplica
from perdure.tools.call import ToolOutput
from perdure.tools.tool import Effect, Tool, ToolContext, tool
from perdure.workspaces.operations import LOST


def payment() -> Tool:
    @tool(Effect.ONCE)
    async def pay(_: ToolContext) -> str:
        """Pay somebody, for good."""
        return "paid"

    return pay


def loud(text: str) -> Tool:
    @tool(Effect.KEYED)
    async def shout(_: ToolContext) -> str:
        """Says very much."""
        return text

    return shout


async def lines(replica: InProcessReplica, chat: ChatId) -> int:
    return await replica.pool.fetchval("SELECT count(*) FROM journal WHERE chat_id = $1", chat)


async def test_calls_whose_results_are_committed_are_forgotten(replica: InProcessReplica) -> None:
    replica.tools.tools = (payment(),)
    chat = await replica.someone_asks("[[call:pay]] [[call:pay]] [[say:3 tokens]]")
    await replica.comes_to_rest(chat)
    await replica.runner_services.journal_cleanup.once()
    assert await lines(replica, chat) == 0
    assert (await replica.said(chat)).count("pay: paid") == 2


async def test_a_result_that_no_column_can_hold_is_kept_all_the_same(replica: InProcessReplica) -> None:
    replica.tools.tools = (loud("nul \x00, half a pair \ud800, and " + "x" * 5_000_000),)
    chat = await replica.someone_asks("[[call:shout]] [[say:3 tokens]]")
    rested = await replica.comes_to_rest(chat)
    assert (rested.state, rested.last_error) == (State.W, None)
    result = next(word for word in await replica.said(chat) if word.startswith("shout: "))
    assert len(result) < 300_000
    assert result.startswith("shout: nul \x00, half a pair \ufffd, and xxx")


async def alive(replica: InProcessReplica, owner: Owner) -> None:
    """Give an owner a lease that outlasts the test, so that the replica takes nothing from it."""
    await replica.pool.execute(
        "INSERT INTO replicas (id, version, seen_at) VALUES ($1, 'other', now() + interval '1 hour')", owner.worker_id
    )


@pytest.mark.parametrize(
    ("result", "is_error", "told"),
    [("paid at last", False, "pay: paid at last"), ("card declined", True, "pay failed: card declined")],
)
async def test_a_late_result_answers_the_question_what_became_of_the_call(
    replica: InProcessReplica, result: str, is_error: bool, told: str
) -> None:
    """A replica is slow, another one asks the user, and then the first one's payment comes through."""
    replica.tools.tools = (payment(),)
    chat_id, slow = ChatId(uuid4()), Owner(ReplicaId(uuid4()), RunnerId(uuid4()))
    await alive(replica, slow)
    card = NewCard(organisation_id=replica.organisation, owner_id=replica.user, title="slow")
    created = await replica.machine.create(chat_id, card, [Create((replica.says("[[say:3 tokens]]"),)), Acquire(slow)])
    call = NewMessage(role=Role.ASSISTANT, parts=(ToolCall("call_0", "pay", "{}"),))
    step = await replica.machine.advance(created.chat, CommitStep(messages=(call,)))
    fence = Fence(slow.worker_id, slow.runner_id, Status.RUNNING, step.chat.history_version)
    run, journal = CallRun(chat_id, step.chat.last_assistant, 0), Journal(replica.pool)
    assert await journal.start(run, fence, tool="pay", effect="once")
    await replica.pool.execute("UPDATE replicas SET seen_at = 'epoch' WHERE id = $1", slow.worker_id)
    await replica.until(chat_id, lambda row: row.status is Status.REQUIRES_ACTION)
    assert await journal.finish(run, slow.runner_id, result=result, is_error=is_error)
    rested = await replica.comes_to_rest(chat_id)
    assert rested.state is State.W
    assert told in await replica.said(chat_id)


@pytest.mark.parametrize(("failed_over", "asks"), [(False, False), (True, True)])
async def test_a_call_from_before_a_failover_is_asked_about_and_not_run(
    replica: InProcessReplica, failed_over: bool, asks: bool
) -> None:
    """Its line in the journal may be among the commits that were lost."""
    replica.tools.tools = (payment(),)
    chat_id, gone = ChatId(uuid4()), Owner(ReplicaId(uuid4()), RunnerId(uuid4()))
    await alive(replica, gone)
    card = NewCard(organisation_id=replica.organisation, owner_id=replica.user, title="lost")
    created = await replica.machine.create(chat_id, card, [Create((replica.says("[[say:3 tokens]]"),)), Acquire(gone)])
    call = NewMessage(role=Role.ASSISTANT, parts=(ToolCall("call_0", "pay", "{}"),))
    await replica.machine.advance(created.chat, CommitStep(messages=(call,)))
    if failed_over:
        await replica.pool.execute(
            "UPDATE chats SET earlier_lines = '{1}', last_snapshots = ARRAY[snapshot_version] WHERE id = $1", chat_id
        )
    await replica.pool.execute("UPDATE replicas SET seen_at = 'epoch' WHERE id = $1", gone.worker_id)
    ended = await replica.until(chat_id, lambda row: row.status in (Status.REQUIRES_ACTION, Status.WAITING))
    assert (ended.status is Status.REQUIRES_ACTION) == asks
    assert ("pay: paid" in await replica.said(chat_id)) == (not asks)
    if ended.action is not None:
        assert (ended.action.kind, ended.action.calls) == (ActionKind.OUTCOME_UNKNOWN, (0,))


@pytest.mark.parametrize(
    ("asked_in", "cleared_in", "last_before", "asks"),
    [
        (3, None, None, False),
        (3, None, 5, True),
        (6, None, 5, False),
        (3, 4, 5, True),
        (3, 6, 5, False),
    ],
)
def test_a_call_is_uncertain_if_it_could_have_started_before_the_failover(
    asked_in: int, cleared_in: int | None, last_before: int | None, asks: bool
) -> None:
    call = OpenCall(0, "call_0", "pay", CallKind.LOCAL, cleared=cleared_in is not None, cleared_in=cleared_in or 0)
    assert uncertain([call], Failover(asked_in, last_before)) == ([call] if asks else [])


def fragile(runs: list[int]) -> Tool:
    @tool(Effect.KEYED)
    async def build(ctx: ToolContext) -> str:
        """Works in a place that is gone the first time."""
        runs.append(ctx.key.run)
        if ctx.key.run == 0:
            raise WorkspaceLost(LOST)
        return "built"

    return build


@pytest.mark.parametrize(
    ("verdict", "ran", "told"), [("repeat", [0, 1], "build: built"), ("skip", [0], "build failed")]
)
@pytest.mark.parametrize("company", ["", "[[call:shout]]"])
async def test_a_run_whose_workspace_is_gone_is_asked_about_and_not_repeated(
    replica: InProcessReplica, verdict: str, ran: list[int], told: str, company: str
) -> None:
    runs: list[int] = []
    replica.tools.tools = (fragile(runs), loud("hello"))
    chat = await replica.someone_asks(f"[[call:build]] {company} [[say:3 tokens]]")
    parked = await replica.until(chat, lambda row: row.status is Status.REQUIRES_ACTION)
    assert parked.action is not None
    assert (parked.action.kind, parked.action.calls, runs) == (ActionKind.OUTCOME_UNKNOWN, (0,), [0])
    assert ("shout: hello" in await replica.said(chat)) == bool(company)
    decision = Decision(parked.open_calls[0].call_id, Verdict(verdict), "")
    await replica.machine.change(chat, CompleteRequiresAction(decisions=[decision]))
    assert (await replica.comes_to_rest(chat)).state is State.W
    assert runs == ran
    assert any(word.startswith(told) for word in await replica.said(chat))


async def call_in_hand(replica: InProcessReplica, name: str) -> tuple[CallRun, Fence]:
    """A call that a runner elsewhere is about to begin."""
    chat_id, owner = ChatId(uuid4()), Owner(ReplicaId(uuid4()), RunnerId(uuid4()))
    await alive(replica, owner)
    card = NewCard(organisation_id=replica.organisation, owner_id=replica.user, title="elsewhere")
    created = await replica.machine.create(chat_id, card, [Create((replica.says("[[say:3 tokens]]"),)), Acquire(owner)])
    call = NewMessage(role=Role.ASSISTANT, parts=(ToolCall("call_0", name, "{}"),))
    step = await replica.machine.advance(created.chat, CommitStep(messages=(call,)))
    fence = Fence(owner.worker_id, owner.runner_id, Status.RUNNING, step.chat.history_version)
    return CallRun(chat_id, step.chat.last_assistant, 0), fence


async def test_a_call_that_began_in_a_workspace_that_is_gone_is_known_to_have(replica: InProcessReplica) -> None:
    journaling = replica.runner_services.tools.journaling
    run, fence = await call_in_hand(replica, "shout")
    shout = loud("hello")
    begun = await journaling.begin(run, fence, shout, entry=None, incarnation=None)
    assert not await journaling.enter(begun, fence, "first")
    (entry,) = await replica.runner_services.journal.load(run.chat_id, run.message)
    assert entry.incarnation == "first"
    heir = replace(fence, runner_id=RunnerId(uuid4()))
    adopted = await journaling.begin(run, heir, shout, entry=entry, incarnation="second")
    assert not await journaling.enter(adopted, heir, "first")
    assert await journaling.enter(adopted, heir, "second")


@pytest.mark.parametrize(
    ("output", "told"),
    [(ToolOutput("paid before"), "pay: paid before"), (ToolOutput("declined", is_error=True), "pay failed: declined")],
)
async def test_a_call_that_ended_before_its_runner_died_is_not_run_again(
    replica: InProcessReplica, output: ToolOutput, told: str
) -> None:
    replica.tools.tools = (payment(),)
    journaling = replica.runner_services.tools.journaling
    run, fence = await call_in_hand(replica, "pay")
    await journaling.begin(run, fence, payment(), entry=None, incarnation=None)
    await journaling.end(run, fence, payment(), output)
    (entry,) = await replica.runner_services.journal.load(run.chat_id, run.message)
    assert (entry.state, entry.result, entry.is_error) == ("finished", output.text, output.is_error)
    await replica.pool.execute("UPDATE replicas SET seen_at = 'epoch' WHERE id = $1", fence.worker_id)
    assert (await replica.comes_to_rest(run.chat_id)).state is State.W
    assert [word for word in await replica.said(run.chat_id) if word.startswith("pay")] == ["pay({})", told]


@pytest.mark.parametrize(
    ("output", "told"),
    [(ToolOutput("paid before"), "pay: paid before"), (ToolOutput("declined", is_error=True), "pay failed: declined")],
)
async def test_a_call_that_ended_before_its_runner_died_is_told_as_it_ended_after_a_stop(
    replica: InProcessReplica, output: ToolOutput, told: str
) -> None:
    """Nothing of it was in flight any more: the journal alone knows."""
    replica.tools.tools = (payment(),)
    journaling = replica.runner_services.tools.journaling
    run, fence = await call_in_hand(replica, "pay")
    await journaling.begin(run, fence, payment(), entry=None, incarnation=None)
    await journaling.end(run, fence, payment(), output)
    await replica.machine.change(run.chat_id, Interrupt())
    await replica.pool.execute("UPDATE replicas SET seen_at = 'epoch' WHERE id = $1", fence.worker_id)
    assert (await replica.comes_to_rest(run.chat_id)).state is State.W
    assert [word for word in await replica.said(run.chat_id) if word.startswith("pay")] == ["pay({})", told]


async def test_a_call_is_begun_once_also_by_the_same_runner(replica: InProcessReplica) -> None:
    journaling = replica.runner_services.tools.journaling
    run, fence = await call_in_hand(replica, "pay")
    await journaling.begin(run, fence, payment(), entry=None, incarnation=None)
    with pytest.raises(Fenced):
        await journaling.begin(run, fence, payment(), entry=None, incarnation=None)


async def test_a_call_whose_line_a_failover_lost_is_not_begun_again_by_whoever_began_it(
    replica: InProcessReplica,
) -> None:
    """Also before anybody has looked for what was lost."""
    journaling, pay = replica.runner_services.tools.journaling, payment()
    run, fence = await call_in_hand(replica, "pay")
    await journaling.begin(run, fence, pay, entry=None, incarnation=None)
    await replica.pool.execute("DELETE FROM journal WHERE chat_id = $1", run.chat_id)
    with pytest.raises(Fenced):
        await journaling.begin(run, fence, pay, entry=None, incarnation=None)
    (entry,) = await replica.runner_services.journal.load(run.chat_id, run.message)
    assert (entry.effect, entry.state) == ("once", "started")


async def test_a_call_that_ended_meanwhile_is_not_taken_over(replica: InProcessReplica) -> None:
    journaling, shout = replica.runner_services.tools.journaling, loud("hello")
    run, fence = await call_in_hand(replica, "shout")
    await journaling.begin(run, fence, shout, entry=None, incarnation=None)
    (entry,) = await replica.runner_services.journal.load(run.chat_id, run.message)
    await journaling.end(run, fence, shout, ToolOutput("hello"))
    with pytest.raises(Fenced):
        await journaling.begin(run, replace(fence, runner_id=RunnerId(uuid4())), shout, entry=entry, incarnation=None)


@pytest.mark.parametrize("run", [0, 2])
def test_only_the_run_that_is_open_answers_for_a_call(run: int) -> None:
    calls = [OpenCall(0, "call_0", "pay", CallKind.LOCAL, run=1)]
    entries = [Entry(0, run, "once", "finished", RunnerId(uuid4()), None, "paid", is_error=False)]
    assert known(entries, calls) == {}
