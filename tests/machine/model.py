"""Every reachable state of a small chat, in memory: users, two runners, crashes, a deadline, over the real plans.

A commit is atomic, so a crash at any point of it is a crash before or after it; a lost notice is a step that is not
taken yet, a doubled one is an Acquire of a chat that is taken already. Both are steps that may happen at any time.
"""

from collections import deque
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import timedelta
from uuid import UUID

from perdure.core.action import ActionKind, CallKind, Decision, Verdict
from perdure.core.chat import Busy, Chat, State, Status
from perdure.core.commit import Commit
from perdure.core.errors import PerdureError
from perdure.core.failure import ChatError
from perdure.core.fence import Fence
from perdure.core.ids import ChatId, MessageNumber, QueuedNumber, ReplicaId, RunnerId, UserId
from perdure.core.message import NewMessage, Role, Text, ToolCall, ToolResult, Visibility
from perdure.machine.change import Owner
from perdure.machine.following import follow
from perdure.machine.transitions import (
    Abandon,
    Acquire,
    CancelRequiresAction,
    CommitStep,
    CompleteRequiresAction,
    Create,
    DeleteQueuedMessage,
    EditMessage,
    EnterRequiresAction,
    FinishError,
    FinishInterruption,
    FinishTurn,
    Interrupt,
    Outcome,
    PromoteQueuedMessage,
    ReorderQueue,
    RequestCompaction,
    Retry,
    SendMessage,
    SetArchived,
    Target,
    Transition,
)

OWNERS = tuple(Owner(ReplicaId(UUID(int=n)), RunnerId(UUID(int=n))) for n in (1, 2))
SOMEBODY = UserId(UUID(int=9))
FAILED = ChatError("failed")
ELSEWHERE = {ActionKind.CLIENT_TOOL: CallKind.CLIENT, ActionKind.CHILDREN: CallKind.CHILDREN}
"""Who answers the calls that no runner can, for the kinds of action that wait for them."""
VERDICTS = {
    ActionKind.APPROVAL: (Verdict.APPROVE, Verdict.DENY),
    ActionKind.OUTCOME_UNKNOWN: (Verdict.HAPPENED, Verdict.REPEAT, Verdict.SKIP),
    ActionKind.ELICITATION: (Verdict.ANSWER,),
}


class Violation(Exception):
    """A promise that does not hold, and the way that led there."""


@dataclass(frozen=True, slots=True)
class World:
    """A chat, what its runners believe, and what we know of its messages without asking the machine."""

    chat: Chat
    kind: ActionKind = ActionKind.CLIENT_TOOL
    """What runners of this world park it for."""
    fences: tuple[Fence | None, ...] = (None, None)
    crashed: tuple[bool, ...] = (False, False)
    left: int = 0
    """How many messages users may still send."""
    sent: int = 0
    queue: tuple[str, ...] = ()
    entered: tuple[str, ...] = ()
    removed: frozenset[str] = frozenset()
    open_calls: frozenset[str] = frozenset()
    asked: bool = False
    parked: bool = False
    edited: bool = False
    compacted: bool = False

    @property
    def key(self) -> tuple[object, ...]:
        """The world without its numbers and names: two worlds with the same key have the same future.

        The runners are alike, so that their order does not matter either.
        """
        chat = self.chat
        runners = sorted(
            (chat.worker_id == owner.worker_id, fence is not None and fence.holds(chat), fence is not None, crashed)
            for owner, fence, crashed in zip(OWNERS, self.fences, self.crashed, strict=True)
        )
        return (
            chat.status, chat.archived, tuple([entry.steer for entry in chat.queue]), chat.open_calls, chat.action,
            chat.continuing, chat.newest_is_user, chat.compaction_requested_at is None,
            tuple(runners), self.left, self.asked, self.parked, self.edited, self.compacted,
        )  # fmt: skip


@dataclass(frozen=True, slots=True)
class Step:
    """Something that may happen: by whom, what, and what we expect of the messages."""

    name: str
    bundle: Sequence[Transition]
    runner: int | None = None
    system: bool = False
    """Whether it happens without anybody asking for it: only such steps count for coming to rest."""
    sends: str | None = None
    removes: tuple[str, ...] = ()
    order: tuple[str, ...] | None = None
    promotes: str | None = None
    marks: tuple[str, ...] = ()


def said(text: str) -> NewMessage:
    return NewMessage(role=Role.USER, parts=(Text(text),), created_by=SOMEBODY)


def answer(*calls: str) -> NewMessage:
    return NewMessage(role=Role.ASSISTANT, parts=(Text("a"), *(ToolCall(call, call, "{}") for call in calls)))


def results(chat: Chat, *kinds: CallKind) -> tuple[NewMessage, ...]:
    return tuple(
        NewMessage(role=Role.TOOL, parts=(ToolResult(call.call_id, call.tool, "1"),))
        for call in chat.open_calls
        if call.kind in kinds
    )


def steps_of_users(world: World) -> Iterator[Step]:
    chat, name = world.chat, f"m{world.sent + 1}"
    if world.left:
        for busy in Busy:
            yield Step(f"send {busy}", [SendMessage(said(name), busy)], sends=name)
    yield Step("stop", [Interrupt()])
    yield Step("retry", [Retry()])
    for archived in (True, False):
        yield Step("archive", [SetArchived(archived)])
    if not world.compacted:
        yield Step("compact", [RequestCompaction()], marks=("compacted",))
    if not world.edited:
        target = Target(number=MessageNumber(1), visibility=Visibility.BOTH, model=None, effort=None)
        edit = EditMessage(target, said("edited"))
        yield Step("edit", [edit], removes=world.queue, marks=("edited",))
    for way, completion in answers(chat):
        yield Step(f"answer {way}", [completion])
    numbers = [entry.number for entry in chat.queue]
    for label, number in zip(world.queue, numbers, strict=True):
        yield Step(f"delete {label}", [DeleteQueuedMessage(number)], removes=(label,))
        yield Step(f"promote {label}", [PromoteQueuedMessage(number)], promotes=label)
    if len(numbers) > 1:
        back = tuple(QueuedNumber(number) for number in reversed(numbers))
        yield Step("reorder", [ReorderQueue(back)], order=tuple(reversed(world.queue)))


def answers(chat: Chat) -> Iterator[tuple[str, CompleteRequiresAction]]:
    """Every way to give what a parked chat waits for."""
    if chat.action is None:
        return
    asked = [call.call_id for call in chat.open_calls if call.index in chat.action.calls]
    match chat.action.kind:
        case ActionKind.CLIENT_TOOL | ActionKind.CHILDREN:
            yield "results", CompleteRequiresAction(outcomes=[Outcome(call, "1") for call in asked])
        case ActionKind.APPROVAL | ActionKind.OUTCOME_UNKNOWN | ActionKind.ELICITATION as kind:
            for verdict in VERDICTS[kind]:
                yield verdict, CompleteRequiresAction(decisions=[Decision(call, verdict, "1") for call in asked])
                yield f"one {verdict}", CompleteRequiresAction(decisions=[Decision(asked[-1], verdict, "1")])
        case ActionKind.BUDGET:
            yield "raised", CompleteRequiresAction(limit=1)
            yield "declined", CompleteRequiresAction(declined=True)


def steps_of_runners(world: World) -> Iterator[Step]:
    chat = world.chat
    for runner, owner in enumerate(OWNERS):
        dead = {OWNERS[n].worker_id for n, crashed in enumerate(world.crashed) if crashed}
        expected = chat.worker_id if chat.worker_id in dead else None
        if chat.status in (Status.RUNNING, Status.INTERRUPTING) and not world.crashed[runner]:
            yield Step(f"acquire {runner}", [Acquire(owner, expected)], runner=runner, system=True)
        if world.fences[runner] is not None:
            for step in (*duties(world), *parkings(world)):
                yield replace(step, runner=runner, system=not world.crashed[runner])
    if chat.action is not None and chat.action.kind is not ActionKind.BUDGET:
        yield Step("deadline", [CancelRequiresAction()], system=True)


def parkings(world: World) -> Iterator[Step]:
    """What a runner may stop for and wait. The kinds that no call of its own forces happen once."""
    chat, kind = world.chat, world.kind
    park = Step(f"park for {kind}", [EnterRequiresAction(kind, deadline=timedelta(minutes=1))])
    if kind in ELSEWHERE:
        if results(chat, ELSEWHERE[kind]) and not results(chat, CallKind.LOCAL):
            yield park
    elif not world.parked and (kind is ActionKind.BUDGET or results(chat, CallKind.LOCAL)):
        yield replace(park, marks=("parked",))


def duties(world: World) -> Iterator[Step]:
    """What a runner may do about the row that it believes in."""
    chat = world.chat
    if chat.status is Status.INTERRUPTING:
        partial = results(chat, *CallKind) or (() if chat.newest_is_user else (answer(),))
        yield Step("finish interruption", [FinishInterruption(partial)])
        yield Step("finish interruption early", [FinishInterruption()])
        return
    yield Step("fail", [FinishError(FAILED), Abandon()])
    if ours := results(chat, CallKind.LOCAL):
        yield Step("run tools", [CommitStep(messages=ours)])
    elif not chat.open_calls:
        done = CommitStep(messages=(answer(),), continues=False, consume_compaction=True)
        yield Step("finish", [done, FinishTurn(), Abandon()])
        yield Step("finish and keep", [done, FinishTurn()])
        yield Step("finish at once", [FinishTurn()])
        if not world.asked:
            kinds = {"local": CallKind.LOCAL} | ({"away": ELSEWHERE[world.kind]} if world.kind in ELSEWHERE else {})
            for calls in {("local",), tuple(kinds)[-1:], tuple(kinds)}:
                yield Step(f"ask {calls}", [CommitStep(messages=(answer(*calls),), call_kinds=kinds)], marks=("asked",))


def taken(world: World, step: Step) -> World | None:
    """The world after a step, checked. None where the machine refuses it."""
    fence = world.fences[step.runner] if step.runner is not None and not step.name.startswith("acquire") else None
    if fence is not None and not fence.holds(world.chat):
        return None
    try:
        plan = follow(world.chat, step.bundle)
    except PerdureError:
        return None
    return None if plan.empty else checked(world, step, plan)


def checked(world: World, step: Step, plan: Commit) -> World:
    chat = plan.chat
    check_chat(chat)
    check_owner(world, step, chat)
    queue, entered, open_calls = followed_rows(world, step, plan)
    expected = [label for label in (*world.queue, *([step.sends] if step.sends else [])) if label not in step.removes]
    if step.promotes is not None:
        expected = [step.promotes, *(label for label in expected if label != step.promotes)]
    expected = list(step.order or expected)
    require(queue == [label for label in expected if label not in entered], f"the queue is {queue} of {expected}")
    check_entries(world, step, plan, expected, entered)
    fences = list(world.fences)
    if step.runner is not None:
        fences[step.runner] = fence_of(chat, step.runner)
    return replace(
        world,
        chat=chat,
        fences=tuple(fences),
        sent=world.sent + (step.sends is not None),
        left=world.left - (step.sends is not None),
        queue=tuple(queue),
        entered=(*world.entered, *entered),
        removed=world.removed | set(step.removes),
        open_calls=open_calls,
        **dict.fromkeys(step.marks, True),
    )


def require(promise: bool, otherwise: str) -> None:
    if not promise:
        raise Violation(otherwise)


def check_chat(chat: Chat) -> None:
    require(chat.state is not State.INVALID, f"invalid: {chat.status} {chat.queue} {chat.archived}")
    require((chat.status is Status.REQUIRES_ACTION) == (chat.action is not None), "an action without a parked chat")
    versions = (chat.history_version, chat.queue_version, chat.retry_version)
    require(max(versions) <= chat.snapshot_version, "a version of the future")
    require(chat.status is Status.ERROR or chat.last_error is None, "an error that nobody cleared")


def check_owner(world: World, step: Step, chat: Chat) -> None:
    before = world.chat.worker_id
    alive = [owner.worker_id for owner, crashed in zip(OWNERS, world.crashed, strict=True) if not crashed]
    stolen = before in alive and chat.worker_id not in (before, None)
    require(not stolen, "a chat was taken from a replica that lives")
    if step.runner is not None and not step.name.startswith("acquire"):
        require(before == OWNERS[step.runner].worker_id, "a runner wrote to a chat that it does not own")


def followed_rows(world: World, step: Step, plan: Commit) -> tuple[list[str], list[str], frozenset[str]]:
    """The queue by name, who entered the history, which calls are open: read off the rows, not off the chat."""
    names = dict(zip((entry.number for entry in world.chat.queue), world.queue, strict=True))
    if step.sends is not None:
        names[world.chat.next_queued] = step.sends
    calls = set[str]() if plan.hidden_from is not None else set(world.open_calls)
    rows: list[tuple[int, NewMessage | None, str]] = [(n, m, text_of(m)) for n, m in plan.appended]
    rows += [(number, None, names[queued]) for queued, number in plan.promoted]
    entered: list[str] = []
    for _, message, name in sorted(rows, key=lambda row: row[0]):
        if message is None or message.role is Role.USER:
            require(not calls, f"{name} follows unanswered calls")
            entered += [name] if name != "edited" else []
        else:
            calls |= {part.call_id for part in message.parts if isinstance(part, ToolCall)}
            calls -= {part.call_id for part in message.parts if isinstance(part, ToolResult)}
    require(calls == {call.call_id for call in plan.chat.open_calls}, "the row is wrong about its open calls")
    return [names[entry.number] for entry in plan.chat.queue], entered, frozenset(calls)


def text_of(message: NewMessage) -> str:
    part = message.parts[0]
    return part.text if isinstance(part, Text) else ""


def check_entries(world: World, step: Step, plan: Commit, expected: list[str], entered: list[str]) -> None:
    """Messages enter once, first come first served, but for steer messages, which go together."""
    require(not set(entered) & {*world.entered, *world.removed}, "a message entered twice, or after it was removed")
    steer = [n for n, entry in zip(world.queue, world.chat.queue, strict=True) if entry.steer]
    by_steps = any(isinstance(transition, CommitStep) for transition in step.bundle)
    first = expected[: len(entered)]
    require(entered == first or (by_steps and set(steer) & set(entered) != set()), f"{entered} before {first}")
    ends = any(isinstance(transition, FinishTurn | FinishInterruption) for transition in step.bundle)
    if ends and world.queue:
        require(bool(entered), "a queue was left waiting at the end of a turn")
    if world.chat.status is Status.WAITING and step.sends is not None:
        require(plan.chat.status is Status.RUNNING, "an idle chat did not start on a message")


def fence_of(chat: Chat, runner: int) -> Fence | None:
    owner = OWNERS[runner]
    if chat.worker_id != owner.worker_id:
        return None
    return Fence(owner.worker_id, owner.runner_id, chat.status, chat.history_version)


def adopted(world: World) -> World:
    """A runner that is still the row's owner adopts the row; one that is not lets go."""
    return replace(
        world, fences=tuple(None if f is None else fence_of(world.chat, n) for n, f in enumerate(world.fences))
    )


def crashes(world: World) -> Iterator[World]:
    if not any(world.crashed):
        for runner in range(len(OWNERS)):
            crashed = tuple(n == runner for n in range(len(OWNERS)))
            fences = tuple(None if n == runner else fence for n, fence in enumerate(world.fences))
            yield replace(world, crashed=crashed, fences=fences)
            # Stopped for longer than its lease, and then it goes on as if nothing had happened.
            yield replace(world, crashed=crashed)


def explore(messages: int = 3, kind: ActionKind = ActionKind.CLIENT_TOOL, limit: int = 200_000) -> tuple[int, int]:
    """Walk every reachable world. Returns how many there are, and how many steps lead between them."""
    plan = follow(None, [Create((said("hello"),))], chat_id=ChatId(UUID(int=7)))
    start = World(plan.chat, kind, left=messages)
    seen: dict[tuple[object, ...], bool] = {start.key: at_rest(start.chat)}
    back: dict[tuple[object, ...], list[tuple[object, ...]]] = {}
    waiting, count = deque([start]), 0
    while waiting:
        world = waiting.popleft()
        key = world.key
        for after, system in successors(world):
            count += 1
            reached = after.key
            if system:
                back.setdefault(reached, []).append(key)
            if reached not in seen:
                require(len(seen) < limit, "more worlds than there should be")
                seen[reached] = at_rest(after.chat)
                waiting.append(after)
    check_rest(seen, back)
    return len(seen), count


def successors(world: World) -> Iterator[tuple[World, bool]]:
    steps: tuple[Callable[[World], Iterator[Step]], ...] = (steps_of_users, steps_of_runners)
    for source in steps:
        for step in source(world):
            try:
                after = taken(world, step)
            except Violation as violation:
                raise Violation(f"{step.name} from {world.chat.state.value}: {violation}") from None
            if after is not None:
                yield after, step.system
    now = adopted(world)
    if now.fences != world.fences:
        yield now, True
    for crashed in crashes(world):
        yield crashed, False


RESTS = frozenset({State.W, State.E0, State.E1, State.XW, State.XE0, State.XE1})


def at_rest(chat: Chat) -> bool:
    """Whether it waits for a person. A used-up budget has no deadline: only a person ends that wait."""
    return chat.state in RESTS or (chat.action is not None and chat.action.kind is ActionKind.BUDGET)


def check_rest(seen: dict[tuple[object, ...], bool], back: dict[tuple[object, ...], list[tuple[object, ...]]]) -> None:
    """From every world the runners alone can bring the chat to rest."""
    safe = {key for key, rests in seen.items() if rests}
    waiting = deque(safe)
    while waiting:
        for before in back.get(waiting.popleft(), ()):
            if before not in safe:
                safe.add(before)
                waiting.append(before)
    stuck = [key for key in seen if key not in safe]
    require(not stuck, f"{len(stuck)} worlds never come to rest, such as {stuck[:1]}")
