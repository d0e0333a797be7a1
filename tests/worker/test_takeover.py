"""What a replica makes of calls that another one left behind."""

from uuid import uuid4

import pytest

from perdure.api.local_worker import LocalStart
from perdure.core.action import ActionKind, Decision, Verdict
from perdure.core.card import NewCard
from perdure.core.chat import Busy, State, Status
from perdure.core.commit import Commit
from perdure.core.fence import Fence
from perdure.core.ids import ChatId, ReplicaId, RunnerId
from perdure.core.message import NewMessage, Role, ToolCall
from perdure.machine.change import Owner
from perdure.machine.transitions import (
    Abandon,
    Acquire,
    CommitStep,
    CompleteRequiresAction,
    Create,
    EnterRequiresAction,
    RecordGenerationAttempt,
    SendMessage,
)
from perdure.store.journal import CallRun, Journal
from perdure.testing.replica import InProcessReplica
from perdure.tools.tool import Effect, Tool, ToolContext, tool


def ledger_tool(effects: list[str]) -> Tool:
    @tool(Effect.ONCE)
    async def pay(ctx: ToolContext, amount: int) -> str:
        """Pay somebody, for good."""
        effects.append(str(ctx.key))
        return f"paid {amount}"

    return pay


async def left_behind(replica: InProcessReplica, *, approved: bool = False) -> ChatId:
    """A chat whose driver died after it started to pay."""
    chat_id, dead = ChatId(uuid4()), Owner(ReplicaId(uuid4()), RunnerId(uuid4()))
    # Its lease outlasts the test, so that nobody takes the chat before the call is written down.
    await replica.pool.execute(
        "INSERT INTO replicas (id, version, seen_at) VALUES ($1, 'dead', now() + interval '1 hour')", dead.worker_id
    )
    card = NewCard(organisation_id=replica.organisation, owner_id=replica.user, title="left")
    created = await replica.machine.create(chat_id, card, [Create((replica.says("[[say:3 tokens]]"),)), Acquire(dead)])
    call = NewMessage(role=Role.ASSISTANT, parts=(ToolCall("call_0", "pay", '{"amount": 5}'),))
    step = await replica.machine.advance(created.chat, CommitStep(messages=(call,)))
    if approved:
        await replica.machine.advance(step.chat, EnterRequiresAction(ActionKind.APPROVAL))
        decision = Decision("call_0", Verdict.APPROVE)
        step = await replica.machine.change(chat_id, CompleteRequiresAction(decisions=[decision]), Acquire(dead))
    fence = Fence(dead.worker_id, dead.runner_id, Status.RUNNING, step.chat.history_version)
    run = CallRun(chat_id, step.chat.last_assistant, 0)
    assert await Journal(replica.pool).start(run, fence, tool="pay", effect="once")
    await replica.pool.execute("DELETE FROM replicas WHERE id = $1", dead.worker_id)
    return chat_id


@pytest.mark.parametrize("approved", [False, True])
async def test_a_payment_of_unknown_outcome_is_asked_about_and_not_repeated(
    replica: InProcessReplica, approved: bool
) -> None:
    effects: list[str] = []
    replica.tools.tools = (ledger_tool(effects),)
    chat = await left_behind(replica, approved=approved)
    parked = await replica.until(chat, lambda row: row.status in (Status.REQUIRES_ACTION, Status.ERROR))
    assert parked.action is not None
    assert (parked.action.kind, effects) == (ActionKind.OUTCOME_UNKNOWN, [])


@pytest.mark.parametrize(
    ("verdict", "result", "paid"),
    [(Verdict.REPEAT, "pay: paid 5", 1), (Verdict.HAPPENED, "pay: it went through", 0)],
)
async def test_the_user_says_what_became_of_it(
    replica: InProcessReplica, verdict: Verdict, result: str, paid: int
) -> None:
    effects: list[str] = []
    replica.tools.tools = (ledger_tool(effects),)
    chat = await left_behind(replica)
    await replica.until(chat, lambda row: row.status is Status.REQUIRES_ACTION)
    decision = Decision("call_0", verdict, "it went through")
    await replica.machine.change(chat, CompleteRequiresAction(decisions=[decision]))
    rested = await replica.comes_to_rest(chat)
    assert (rested.state, len(effects)) == (State.W, paid)
    assert result in await replica.said(chat)


async def test_a_skipped_call_is_an_error_for_the_model(replica: InProcessReplica) -> None:
    effects: list[str] = []
    replica.tools.tools = (ledger_tool(effects),)
    chat = await left_behind(replica)
    await replica.until(chat, lambda row: row.status is Status.REQUIRES_ACTION)
    await replica.machine.change(chat, CompleteRequiresAction(decisions=[Decision("call_0", Verdict.SKIP)]))
    await replica.comes_to_rest(chat)
    assert effects == []
    assert any(word.startswith("pay failed:") for word in await replica.said(chat))


@pytest.mark.parametrize("limit", [None, 1_000_000])
@pytest.mark.parametrize("busy", [Busy.QUEUE, Busy.STEER])
async def test_whoever_takes_a_chat_with_a_message_uses_no_attempt_of_whoever_left_it(
    replica: InProcessReplica, limit: int | None, busy: Busy
) -> None:
    chat_id, gone = ChatId(uuid4()), Owner(ReplicaId(uuid4()), RunnerId(uuid4()))
    # It is seen alive, so that nobody but the message takes the chat.
    await replica.pool.execute(
        "INSERT INTO replicas (id, version, seen_at) VALUES ($1, 'gone', now() + interval '1 hour')", gone.worker_id
    )
    card = NewCard(organisation_id=replica.organisation, owner_id=replica.user, title="left")
    asked = Create((replica.says("[[say:hello]]"),), budget_limit=limit)
    left = await replica.machine.create(chat_id, card, [asked, Acquire(gone), RecordGenerationAttempt(100)])
    answers: list[Commit] = []
    replica.announcer.follow(lambda commit: answers.append(commit) if commit.appended else None)
    with LocalStart(replica.worker.runners, replica.user) as start:
        taken = await replica.machine.advance_by(
            left.chat, start.bundle(Abandon(), SendMessage(replica.says("again"), busy))
        )
        start.done(taken)
    await replica.comes_to_rest(chat_id)
    before = left.chat.history_version, left.chat.generation_attempt
    used = [(each.base.history_version, each.base.generation_attempt) for each in answers if each.base is not None]
    assert used
    assert before not in used
