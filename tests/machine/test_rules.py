"""The conditions of the arrows: what is refused from a state that has the arrow, and the rules that span arrows."""

from dataclasses import dataclass
from datetime import timedelta
from uuid import uuid4

import pytest
from tests.machine.cells import WRITER, new
from tests.machine.place import Place

from perdure.core.action import ActionKind, CallKind, Decision, OpenCall, Verdict
from perdure.core.chat import QUEUE_LIMIT, Busy, Chat, State
from perdure.core.errors import (
    AlreadyDecided,
    EditedMessageNotUser,
    MessageNotFound,
    PerdureError,
    QueuedMessageNotFound,
    QueueFull,
    ToolResultDuplicate,
    ToolResultInvalidJson,
    ToolResultMissing,
    ToolResultUnexpected,
    TransitionNotAllowed,
)
from perdure.core.ids import ChatId, MessageNumber, QueuedNumber
from perdure.core.message import Kind, NewMessage, Role, Text, ToolCall, ToolResult
from perdure.machine.change import Reason
from perdure.machine.transitions import (
    Abandon,
    Acquire,
    CancelRequiresAction,
    CommitStep,
    CompleteRequiresAction,
    Create,
    DeleteQueuedMessage,
    EditMessage,
    EditQueuedMessage,
    EnterRequiresAction,
    FinishError,
    FinishInterruption,
    FinishTurn,
    Interrupt,
    Outcome,
    PromoteQueuedMessage,
    ReorderQueue,
    Retry,
    SendMessage,
    SetArchived,
    Transition,
)
from perdure.testing.chats import ASK, FAILURE, KINDS, READ, WAIT, WRITE, answered, resulted, said, somebody

pytestmark = pytest.mark.asyncio(loop_scope="module")

W, E0, E1, R0, R1 = State.W, State.E0, State.E1, State.R0, State.R1
I0, I1, A0, A1 = State.I0, State.I1, State.A0, State.A1
GONE = QueuedNumber(9)
BAD_JSON, GOOD, OTHER = Outcome("ask", "{"), Outcome("ask", "1"), Outcome("other", "1")
DEEP_JSON = Outcome("ask", "[" * 100_000 + "]" * 100_000)


@dataclass(frozen=True, slots=True)
class Refusal:
    by: Transition
    of: State
    error: type[PerdureError]
    seed: str = "in_state"


REFUSALS = (
    Refusal(SetArchived(archived=False), W, TransitionNotAllowed),
    Refusal(SetArchived(archived=False), E1, TransitionNotAllowed),
    Refusal(SetArchived(archived=True), State.XW, TransitionNotAllowed),
    Refusal(SetArchived(archived=True), State.XE1, TransitionNotAllowed),
    *(Refusal(SendMessage(answered(Text("no user"))), of, TransitionNotAllowed) for of in (W, E1, R0, I1, A0)),
    *(Refusal(DeleteQueuedMessage(GONE), of, QueuedMessageNotFound) for of in (E1, R1, I1, A1)),
    *(Refusal(PromoteQueuedMessage(GONE), of, QueuedMessageNotFound) for of in (E1, R1, I1, A1)),
    *(Refusal(EditQueuedMessage(GONE, ()), of, QueuedMessageNotFound) for of in (E1, R1, I1, A1)),
    *(Refusal(ReorderQueue((QueuedNumber(1),)), of, QueuedMessageNotFound) for of in (E1, R1, I1, A1)),
    Refusal(ReorderQueue((QueuedNumber(1), QueuedNumber(2), GONE)), R1, QueuedMessageNotFound),
    Refusal(CompleteRequiresAction(outcomes=(GOOD, GOOD)), A0, ToolResultDuplicate),
    Refusal(CompleteRequiresAction(outcomes=(BAD_JSON,)), A0, ToolResultInvalidJson),
    Refusal(CompleteRequiresAction(outcomes=(OTHER, BAD_JSON)), A1, ToolResultInvalidJson),
    Refusal(CompleteRequiresAction(outcomes=(DEEP_JSON,)), A1, ToolResultInvalidJson),
    Refusal(CompleteRequiresAction(outcomes=(OTHER,)), A0, ToolResultMissing),
    Refusal(CompleteRequiresAction(outcomes=(GOOD, OTHER)), A0, ToolResultUnexpected),
    Refusal(CompleteRequiresAction(outcomes=(Outcome("read", "1"), GOOD)), A0, ToolResultUnexpected),
    Refusal(CompleteRequiresAction(expected=frozenset({ActionKind.BUDGET})), A0, TransitionNotAllowed),
    Refusal(Retry(), R0, TransitionNotAllowed),
    Refusal(CommitStep(messages=()), R0, TransitionNotAllowed),
    Refusal(EnterRequiresAction(), R0, TransitionNotAllowed, "quiet"),
    Refusal(EnterRequiresAction(ActionKind.CHILDREN), R0, TransitionNotAllowed),
    Refusal(EnterRequiresAction(calls=(0,)), R0, TransitionNotAllowed),
    Refusal(FinishInterruption(), I0, TransitionNotAllowed),
    Refusal(FinishInterruption((resulted(READ),)), I1, TransitionNotAllowed),
    Refusal(FinishInterruption((answered(ToolCall("more", "read_file", "{}")),)), I0, TransitionNotAllowed, "quiet"),
    *(Refusal(Abandon(), of, TransitionNotAllowed) for of in (W, R0, A1, State.XE0)),
    Refusal(Acquire(somebody(), somebody().worker_id), R0, TransitionNotAllowed),
)


def named(refusal: Refusal) -> str:
    return f"{type(refusal.by).__name__}-{refusal.of.value}-{refusal.error.__name__}"


@pytest.mark.parametrize("refusal", REFUSALS, ids=named)
async def test_a_refused_input_changes_nothing(refusal: Refusal, shared_place: Place) -> None:
    make = shared_place.chats.quiet if refusal.seed == "quiet" else shared_place.chats.in_state
    chat = await make(refusal.of)
    await check_refused(shared_place, chat, refusal.by, refusal.error)


async def check_refused(place: Place, chat: Chat, transition: Transition, error: type[PerdureError]) -> None:
    before = await place.rows_of(chat.id)
    place.announced.clear()
    with pytest.raises(error):
        await place.machine.change(chat.id, transition)
    assert await place.rows_of(chat.id) == before
    assert place.announced == []


@pytest.mark.parametrize("state", [E1, R1, I1, A1], ids=lambda state: state.value)
@pytest.mark.parametrize("busy", Busy)
async def test_the_queue_holds_twenty(state: State, busy: Busy, shared_place: Place) -> None:
    chat = await shared_place.chats.in_state(state, queued=[f"message {n}" for n in range(QUEUE_LIMIT)])
    await check_refused(shared_place, chat, SendMessage(new(), busy), QueueFull)


async def test_an_owned_chat_is_taken_only_by_who_saw_its_owner_expire(shared_place: Place) -> None:
    owner, other = somebody(), somebody()
    chat = await shared_place.chats.after(await shared_place.chats.in_state(R0), [Acquire(owner)])
    await check_refused(shared_place, chat, Acquire(other), TransitionNotAllowed)
    taken = await shared_place.machine.change(chat.id, Acquire(other, owner.worker_id))
    assert (taken.chat.worker_id, taken.chat.runner_id) == (other.worker_id, other.runner_id)


@pytest.mark.parametrize("number", [7, 2, 1], ids=["missing", "of the model", "hidden"])
async def test_only_a_live_message_of_a_user_can_be_edited(number: int, shared_place: Place) -> None:
    chat = await shared_place.chats.quiet(W)
    if number == 1:
        chat = (await edit(shared_place, chat, 1)).chat
    before = await shared_place.rows_of(chat.id)
    with pytest.raises(EditedMessageNotUser if number == 2 else MessageNotFound):
        await edit(shared_place, chat, number)
    assert await shared_place.rows_of(chat.id) == before


async def edit(place: Place, chat: Chat, number: int):
    return await place.machine.edit(
        chat.id, MessageNumber(number), lambda target: lambda _: [EditMessage(target, new("edited"))]
    )


async def test_an_edit_keeps_what_came_before_and_hides_the_rest(shared_place: Place) -> None:
    chat = await shared_place.chats.quiet(W)
    chat = (await shared_place.machine.change(chat.id, SendMessage(new("again")))).chat
    committed = await edit(shared_place, chat, 3)
    rows = await shared_place.pool.fetch(
        "SELECT number, hidden_in, revision FROM messages WHERE chat_id = $1 ORDER BY number", chat.id
    )
    version = committed.chat.snapshot_version
    assert [(row["number"], row["hidden_in"]) for row in rows] == [(1, None), (2, None), (3, version), (4, None)]
    assert [row["revision"] for row in rows[2:]] == [version, version]


# How chats begin.


async def test_a_new_chat_runs_on_its_messages(shared_place: Place) -> None:
    chat_id = ChatId(uuid4())
    shared_place.announced.clear()
    begins = Create((said("be brief", WRITER), said("hello", WRITER)))
    chat = (await shared_place.machine.create(chat_id, shared_place.chats.card(), [begins])).chat
    assert chat == await shared_place.machine.load(chat_id)
    assert (chat.state, chat.owned, chat.turn, chat.next_message) == (R0, False, 2, 3)
    versions = (chat.snapshot_version, chat.history_version, chat.queue_version, chat.retry_version)
    assert (versions, chat.generation_attempt) == ((1, 1, 0, 0), 0)
    rows = await shared_place.pool.fetch("SELECT revision FROM messages WHERE chat_id = $1", chat_id)
    assert [row["revision"] for row in rows] == [1, 1]
    assert [committed.chat.snapshot_version for committed in shared_place.announced] == [1]


async def test_a_fork_that_adds_nothing_rests_with_every_call_answered(shared_place: Place) -> None:
    chat_id = ChatId(uuid4())
    fork = Create((said("hello", WRITER), answered(READ)), runs=False)
    chat = (await shared_place.machine.create(chat_id, shared_place.chats.card(), [fork])).chat
    assert (chat.state, chat.open_calls, chat.next_message) == (W, (), 4)


async def test_a_new_chat_answers_calls_that_a_user_message_follows(shared_place: Place) -> None:
    begins = Create((said("hello", WRITER), answered(READ), said("never mind", WRITER)))
    committed = await shared_place.machine.create(ChatId(uuid4()), shared_place.chats.card(), [begins])
    assert [message.role for message in committed.messages] == [Role.USER, Role.ASSISTANT, Role.TOOL, Role.USER]


async def test_a_chat_does_not_begin_with_nothing(shared_place: Place) -> None:
    shared_place.announced.clear()
    with pytest.raises(TransitionNotAllowed):
        await shared_place.machine.create(ChatId(uuid4()), shared_place.chats.card(), [Create(())])
    assert shared_place.announced == []


# Rules that span arrows.


async def test_a_turn_that_goes_on_cannot_finish(shared_place: Place) -> None:
    asks = CommitStep(messages=(answered(READ),), continues=True)
    chat = await shared_place.chats.created(asks)
    await check_refused(shared_place, chat, FinishTurn(), TransitionNotAllowed)


async def test_a_turn_that_failed_and_is_retried_still_goes_on(shared_place: Place) -> None:
    asks = CommitStep(messages=(answered(READ),), continues=True)
    chat = await shared_place.chats.created(asks, FinishError(FAILURE), Retry())
    await check_refused(shared_place, chat, FinishTurn(), TransitionNotAllowed)


async def test_a_turn_does_not_finish_on_a_users_word(shared_place: Place) -> None:
    chat = await shared_place.chats.created()
    await check_refused(shared_place, chat, FinishTurn(), TransitionNotAllowed)


async def test_a_summary_is_no_answer_to_a_user(shared_place: Place) -> None:
    summary = NewMessage(role=Role.USER, kind=Kind.BOUNDARY, parts=(Text("so far"),), covers=MessageNumber(0))
    chat = await shared_place.chats.created(CommitStep(messages=(summary,), continues=False))
    assert chat.newest_is_user
    await check_refused(shared_place, chat, FinishTurn(), TransitionNotAllowed)


async def test_stop_means_the_turn_that_it_names(shared_place: Place) -> None:
    chat = await shared_place.chats.in_state(R0)
    before = await shared_place.rows_of(chat.id)
    committed = await shared_place.machine.change(chat.id, Interrupt(turn=MessageNumber(99)))
    assert committed.empty
    assert await shared_place.rows_of(chat.id) == before


async def test_a_steered_parent_still_runs_its_own_calls_first(shared_place: Place) -> None:
    asks = CommitStep(messages=(answered(READ, WAIT),), call_kinds=KINDS)
    parks = EnterRequiresAction(ActionKind.CHILDREN, deadline=timedelta(minutes=1))
    chat = await shared_place.chats.created(asks, parks, SendMessage(new("hurry"), Busy.STEER))
    assert (chat.state, [call.call_id for call in chat.open_calls]) == (R1, ["read"])
    chat = await shared_place.chats.after(chat, [CommitStep(messages=(resulted(READ),))])
    assert (chat.state, chat.turn, chat.newest_is_user) == (R0, 1, True)


async def test_a_call_of_unknown_outcome_is_repeated_under_another_run(shared_place: Place) -> None:
    chat = await shared_place.chats.parked(READ, ActionKind.OUTCOME_UNKNOWN)
    repeat = CompleteRequiresAction(decisions=(Decision("read", Verdict.REPEAT),))
    chat = (await shared_place.machine.change(chat.id, repeat)).chat
    (call,) = chat.open_calls
    assert (call.kind, call.cleared, call.run) == (CallKind.LOCAL, True, 1)


async def test_a_call_goes_on_as_the_same_run_with_what_was_answered_to_it(shared_place: Place) -> None:
    chat = await shared_place.chats.parked(READ, ActionKind.ELICITATION)
    answer = CompleteRequiresAction(decisions=(Decision("read", Verdict.ANSWER, answers='{"a":1}'),))
    (call,) = (await shared_place.machine.change(chat.id, answer)).chat.open_calls
    assert (call.kind, call.cleared, call.run, call.answers) == (CallKind.LOCAL, True, 0, '{"a":1}')


async def test_a_denied_call_gets_its_answer_with_the_decision(shared_place: Place) -> None:
    chat = await shared_place.chats.parked(READ, ActionKind.APPROVAL)
    deny = CompleteRequiresAction(decisions=(Decision("read", Verdict.DENY),))
    committed = await shared_place.machine.change(chat.id, deny)
    (message,) = committed.messages
    assert message.parts == (ToolResult("read", "read_file", Reason.DENIED, is_error=True),)
    assert committed.chat.open_calls == ()


async def test_a_deadline_keeps_what_was_decided_before_it_passed(shared_place: Place) -> None:
    chat = await shared_place.chats.parked(READ, ActionKind.APPROVAL, WRITE)
    await shared_place.machine.change(chat.id, CompleteRequiresAction(decisions=(Decision("write", Verdict.APPROVE),)))
    committed = await shared_place.machine.change(chat.id, CancelRequiresAction())
    (late,) = committed.messages
    assert late.parts == (ToolResult("read", "read_file", f'"{Reason.TIMED_OUT}"', is_error=True),)
    assert committed.chat.open_calls == (
        OpenCall(1, "write", "write_file", cleared=True, cleared_in=committed.chat.snapshot_version),
    )


async def test_a_call_is_decided_once(shared_place: Place) -> None:
    chat = await shared_place.chats.parked(READ, ActionKind.OUTCOME_UNKNOWN, WRITE)
    skip = CompleteRequiresAction(decisions=(Decision("write", Verdict.SKIP),))
    chat = (await shared_place.machine.change(chat.id, skip)).chat
    assert chat.state is A0
    await check_refused(shared_place, chat, skip, AlreadyDecided)
    await check_refused(shared_place, chat, CompleteRequiresAction(), ToolResultMissing)
    repeat = CompleteRequiresAction(decisions=(Decision("read", Verdict.REPEAT),))
    committed = await shared_place.machine.change(chat.id, repeat)
    assert committed.chat.open_calls == (
        OpenCall(0, "read", "read_file", cleared=True, run=1, cleared_in=committed.chat.snapshot_version),
    )


async def test_a_budget_is_raised_declined_or_waits_but_never_times_out(shared_place: Place) -> None:
    parks = EnterRequiresAction(ActionKind.BUDGET, deadline=None)
    chat = await shared_place.chats.created(parks)
    assert (chat.state, chat.action_deadline_at) == (A0, None)
    await check_refused(shared_place, chat, CancelRequiresAction(), TransitionNotAllowed)
    await check_refused(shared_place, chat, CompleteRequiresAction(), TransitionNotAllowed)
    declined = await shared_place.machine.change(chat.id, CompleteRequiresAction(declined=True))
    assert (declined.chat.state, declined.chat.budget_declined) == (R0, True)


@pytest.mark.parametrize(
    "leave",
    [
        Interrupt(),
        CancelRequiresAction(),
        SendMessage(new(), Busy.INTERRUPT),
        PromoteQueuedMessage(QueuedNumber(1)),
    ],
    ids=lambda leave: type(leave).__name__,
)
@pytest.mark.parametrize(
    ("call", "kind"),
    [
        (ASK, ActionKind.CLIENT_TOOL),
        (WAIT, ActionKind.CHILDREN),
        (READ, ActionKind.APPROVAL),
        (READ, ActionKind.OUTCOME_UNKNOWN),
    ],
    ids=lambda value: value.value if isinstance(value, ActionKind) else "",
)
async def test_every_way_out_of_an_action_answers_its_calls(
    leave: Transition, call: ToolCall, kind: ActionKind, shared_place: Place
) -> None:
    chat = await shared_place.chats.parked(call, kind, queued=("first", "second"))
    committed = await shared_place.machine.change(chat.id, leave)
    assert (committed.chat.open_calls, committed.chat.action) == ((), None)
    (result,) = committed.messages[0].parts
    assert isinstance(result, ToolResult)
    assert (result.call_id, result.is_error) == (call.call_id, True)
