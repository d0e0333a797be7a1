"""The model check, and that it or the matrix notices when an arrow or a rule is wrong."""

from collections.abc import Callable
from typing import Any

import pytest
from msgspec.structs import replace
from tests.machine.model import Violation, explore
from tests.machine.test_matrix import ADDED, arrows_of_the_data

from perdure.core.action import ActionKind, OpenCall
from perdure.core.chat import Chat, State, Status
from perdure.core.fence import Fence
from perdure.machine import planning
from perdure.machine.change import Change
from perdure.machine.diagram import DIAGRAM
from perdure.machine.following import WrongLanding
from perdure.machine.transitions import (
    Abandon,
    Acquire,
    CancelRequiresAction,
    CommitStep,
    DeleteQueuedMessage,
    EditMessage,
    EnterRequiresAction,
    FinishInterruption,
    FinishTurn,
    Interrupt,
    PromoteQueuedMessage,
    ReorderQueue,
    Retry,
    SendMessage,
    SetArchived,
)

Plan = Callable[[Any, Chat], Change | None]


def test_every_reachable_world_keeps_every_promise() -> None:
    worlds, steps = explore(messages=3)
    # Many enough that nobody cut a branch off by mistake.
    assert worlds > 40_000
    assert steps > 300_000


@pytest.mark.parametrize("kind", [kind for kind in ActionKind if kind is not ActionKind.CLIENT_TOOL])
def test_every_reason_to_park_keeps_every_promise(kind: ActionKind) -> None:
    worlds, steps = explore(messages=1, kind=kind)
    assert worlds > 1_000
    assert steps > 10_000


def but(**fields: object) -> Callable[[Plan], Plan]:
    """The same plan with other fields."""

    def mutate(original: Plan) -> Plan:
        def plan(transition: Any, chat: Chat) -> Change | None:
            change = original(transition, chat)
            return None if change is None else replace(change, **fields)

        return plan

    return mutate


def promoting_the_last(original: Plan) -> Plan:
    def plan(transition: Any, chat: Chat) -> Change | None:
        change = original(transition, chat)
        last = tuple(entry.number for entry in chat.queue[-1:])
        return change and replace(change, promote=last)

    return plan


def removing_the_head(_: Plan) -> Plan:
    return lambda _, chat: Change(remove=(chat.queue[0].number,))


def never_refusing(_: Plan) -> Plan:
    def plan(transition: Any, chat: Chat) -> Change:
        head = tuple(entry.number for entry in chat.queue[:1])
        status = "running" if head else "waiting"
        return Change(status=type(chat.status)(status), append=transition.partial, promote=head)

    return plan


def delivering_at_once(original: Plan) -> Plan:
    def plan(transition: Any, chat: Chat) -> Change | None:
        change = original(transition, chat)
        return change and replace(change, promote=tuple(entry.number for entry in chat.queue if entry.steer))

    return plan


def from_anybody(_: Plan) -> Plan:
    return lambda transition, _: Change(owner=transition.owner)


# Rules, each broken in one place.
RULES: dict[str, tuple[type, Callable[[Plan], Plan]]] = {
    "a new message leaves calls open": (SendMessage, but(answer_calls=())),
    "a promotion leaves calls open": (PromoteQueuedMessage, but(answer_calls=())),
    "a stop leaves the action on the row": (Interrupt, but(keeps=frozenset(planning.Marker))),
    "a deadline leaves the action on the row": (CancelRequiresAction, but(keeps=frozenset(planning.Marker))),
    "a retry keeps the error": (Retry, but(last_error=planning.KEEP)),
    "a promotion goes to the tail": (PromoteQueuedMessage, but(reorder=None)),
    "the end of a turn promotes nobody": (FinishTurn, but(promote=())),
    "the end of a turn promotes the last": (FinishTurn, promoting_the_last),
    "an interruption promotes the last": (FinishInterruption, promoting_the_last),
    "an interruption leaves calls open": (FinishInterruption, never_refusing),
    "an edit keeps the queue": (EditMessage, but(remove=())),
    "a steer message does not wait for open calls": (CommitStep, delivering_at_once),
    "parking forgets what it asks": (EnterRequiresAction, but(action=None)),
    "a chat is taken from whoever drives it": (Acquire, from_anybody),
    "the wrong message is deleted": (DeleteQueuedMessage, removing_the_head),
    "a reorder changes nothing": (ReorderQueue, but(reorder=None)),
    "an archived chat runs": (SetArchived, but(status=Status.RUNNING)),
}


@pytest.mark.parametrize("rule", RULES)
def test_a_broken_rule_is_noticed(rule: str, monkeypatch: pytest.MonkeyPatch) -> None:
    transition, mutate = RULES[rule]
    monkeypatch.setattr(transition, "plan", mutate(vars(transition)["plan"]))
    with pytest.raises((Violation, WrongLanding)):
        explore(messages=2)


def test_a_fence_that_forgets_its_owner_is_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    def holds(fence: Fence, chat: Chat) -> bool:
        return chat.history_version == fence.history_version

    monkeypatch.setattr(Fence, "holds", holds)
    with pytest.raises(Violation):
        explore(messages=1)


def test_calls_that_stay_open_after_their_results_are_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    original = planning._calls_after_one  # pyright: ignore[reportPrivateUsage]

    def forgetful(calls: tuple[OpenCall, ...], message: Any, kinds: Any) -> tuple[OpenCall, ...]:
        return calls or original(calls, message, kinds)

    monkeypatch.setattr(planning, "_calls_after_one", forgetful)
    with pytest.raises(Violation):
        explore(messages=1)


ALL_ARROWS = [(state, transition) for state, arrows in DIAGRAM.items() for transition in arrows]


@pytest.mark.parametrize(
    ("state", "transition"), ALL_ARROWS, ids=lambda value: value.value if isinstance(value, State) else value.__name__
)
def test_an_arrow_that_is_missing_or_leads_elsewhere_is_noticed(state: State, transition: type) -> None:
    """The matrix compares every arrow with the data: without this one, or with another landing, they differ."""
    drawn = {
        (name.__name__, of.value, to.value)
        for of, a in DIAGRAM.items()
        for name, landings in a.items()
        for to in landings
    }
    mine = {arrow for arrow in drawn if arrow[:2] == (transition.__name__, state.value)}
    listed = arrows_of_the_data() | ADDED.keys()
    assert drawn == listed
    assert drawn - mine != listed
    elsewhere = {(name, of, "N") for name, of, _ in mine}
    assert (drawn - mine) | elsewhere != listed


def test_abandon_and_acquire_are_among_the_arrows() -> None:
    assert {transition for _, transition in ALL_ARROWS} >= {Abandon, Acquire}
