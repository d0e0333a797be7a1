"""Plans in memory: what a bundle of transitions adds up to, without a database."""

from collections.abc import Generator, Iterator
from uuid import uuid4

import pytest
from msgspec.structs import replace

from perdure.core.action import ActionKind
from perdure.core.chat import Busy, Chat, State
from perdure.core.errors import ChatNotFound, TransitionNotAllowed
from perdure.core.failure import ChatError
from perdure.core.ids import ChatId, ModelName, ReplicaId, RunnerId, UserId
from perdure.core.message import AnyPart, Effort, NewMessage, Role, Text, ToolCall, ToolResult
from perdure.machine.change import Owner
from perdure.machine.following import follow
from perdure.machine.transitions import (
    Abandon,
    Acquire,
    Chosen,
    CommitStep,
    CompleteRequiresAction,
    Create,
    EnterRequiresAction,
    FinishError,
    FinishInterruption,
    FinishTurn,
    Interrupt,
    RecordGenerationAttempt,
    SendMessage,
    Transition,
)

SOMEBODY = UserId(uuid4())
OWNER = Owner(ReplicaId(uuid4()), RunnerId(uuid4()))


def user(text: str) -> NewMessage:
    return NewMessage(role=Role.USER, parts=(Text(text),), created_by=SOMEBODY)


def assistant(*parts: Text | ToolCall) -> NewMessage:
    return NewMessage(role=Role.ASSISTANT, parts=parts)


def created(*messages: NewMessage) -> Chat:
    return follow(None, [Create(messages)], chat_id=ChatId(uuid4())).chat


class Looked(tuple[AnyPart, ...]):
    """Parts that count how often they are gone through."""

    __slots__ = ()
    times = 0

    def __iter__(self) -> Iterator[AnyPart]:
        Looked.times += 1
        return super().__iter__()


def test_a_long_history_is_gone_through_once_where_a_chat_begins_with_it() -> None:
    pairs = 500
    history = [message for _ in range(pairs) for message in (user("hi"), assistant(Text("hello")))]
    long = [replace(m, parts=Looked(m.parts)) if m.role is Role.ASSISTANT else m for m in history]
    Looked.times = 0
    assert created(*long, user("and now?")).next_message == 2 * pairs + 2
    assert Looked.times <= 10 * pairs


def test_a_turn_is_two_bundles_and_two_snapshots() -> None:
    chat = created(user("hi"))
    chat = follow(chat, [Acquire(OWNER), RecordGenerationAttempt()]).chat
    assert (chat.generation_attempt, chat.snapshot_version) == (1, 2)
    done = follow(chat, [CommitStep(messages=(assistant(Text("hello")),), continues=False), FinishTurn(), Abandon()])
    assert (done.chat.state, done.chat.snapshot_version, done.chat.owned) == (State.W, 3, False)
    assert [number for number, _ in done.appended] == [2]


@pytest.mark.parametrize(
    "ending",
    [(FinishError(ChatError("no"), spend=7),), (Interrupt(), FinishInterruption(spend=7))],
    ids=["error", "stop"],
)
def test_what_an_attempt_cost_is_paid_although_it_brought_no_step(ending: tuple[Transition, ...]) -> None:
    chat = follow(created(user("hi")), [Acquire(OWNER), RecordGenerationAttempt(reserve=20)]).chat
    plan = follow(chat, ending)
    assert (plan.chat.budget_spent, plan.chat.budget_reserved) == (7, 0)
    assert plan.card is not None
    assert plan.card.cost == 7


def test_only_a_higher_limit_lets_a_chat_go_on() -> None:
    messages = (user("hi"),)
    chat = follow(None, [Create(messages, budget_limit=5), Acquire(OWNER)], chat_id=ChatId(uuid4())).chat
    parked = follow(chat, [EnterRequiresAction(ActionKind.BUDGET, deadline=None)]).chat
    with pytest.raises(TransitionNotAllowed):
        follow(parked, [CompleteRequiresAction(limit=5)])
    raised = follow(parked, [CompleteRequiresAction(limit=6)]).chat
    assert (raised.state, raised.budget_limit) == (State.R0, 6)


def test_a_message_that_waits_keeps_what_was_chosen_when_it_was_sent() -> None:
    chosen = Chosen(ModelName("first"), Effort.LOW)
    plan = follow(created(user("a")), [SendMessage(user("b"), chosen=chosen)])
    assert [(message.model, message.effort) for _, message in plan.enqueued] == [("first", Effort.LOW)]


def test_a_message_that_is_queued_and_promoted_in_one_bundle_is_simply_appended() -> None:
    chat = follow(created(user("a")), [CommitStep(messages=(assistant(Text("b")),), continues=False)]).chat
    plan = follow(chat, [SendMessage(user("c")), FinishTurn()])
    assert plan.enqueued == ()
    assert [m.queued_as for _, m in plan.appended] == [1]


def test_open_calls_are_answered_before_a_user_message() -> None:
    call = assistant(ToolCall("c1", "ledger", "{}"), ToolCall("c2", "ledger", "{}"))
    chat = follow(created(user("a")), [CommitStep(messages=(call,), continues=False), FinishTurn()]).chat
    plan = follow(chat, [SendMessage(user("b"))])
    results = [part for _, m in plan.appended for part in m.parts if isinstance(part, ToolResult)]
    assert [(part.call_id, part.is_error) for part in results] == [("c1", True), ("c2", True)]
    assert plan.chat.open_calls == ()


def test_steer_messages_wait_until_no_call_is_open() -> None:
    chat = follow(created(user("a")), [SendMessage(user("b"), Busy.STEER)]).chat
    calls = CommitStep(messages=(assistant(ToolCall("c1", "ledger", "{}")),))
    chat = follow(chat, [calls]).chat
    assert chat.state is State.R1
    result = NewMessage(role=Role.TOOL, parts=(ToolResult("c1", "ledger", "1"),))
    plan = follow(chat, [CommitStep(messages=(result,))])
    assert plan.chat.state is State.R0
    assert plan.chat.turn == 1
    assert [number for _, number in plan.promoted] == [4]


def test_a_turn_whose_last_word_is_the_users_cannot_finish() -> None:
    with pytest.raises(TransitionNotAllowed):
        follow(created(user("a")), [FinishTurn()])


def test_nothing_leads_out_of_no_chat_but_create() -> None:
    with pytest.raises(ChatNotFound):
        follow(None, [SendMessage(user("a"))], chat_id=ChatId(uuid4()))


def test_a_bundle_that_chooses_by_the_chat_after_each_transition_is_planned_as_the_same_sequence() -> None:
    step = CommitStep(messages=(assistant(Text("b")),), continues=False)
    chat = follow(created(user("a")), [step, FinishTurn()]).chat
    seen: list[tuple[State, bool]] = []

    def chosen() -> Generator[Transition, Chat]:
        now = yield SendMessage(user("c"))
        seen.append((now.state, now.owned))
        now = yield Acquire(OWNER)
        seen.append((now.state, now.owned))
        if now.owned:
            yield RecordGenerationAttempt()

    assert follow(chat, chosen()) == follow(chat, [SendMessage(user("c")), Acquire(OWNER), RecordGenerationAttempt()])
    assert seen == [(State.R0, False), (State.R0, True)]


def test_a_bundle_that_chooses_nothing_is_empty() -> None:
    chat = created(user("a"))

    def nothing() -> Generator[Transition, Chat]:
        yield from ()

    assert follow(chat, nothing()).empty
    assert follow(chat, []).chat is chat
