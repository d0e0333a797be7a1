"""A turn as a task: a name that says which turn it is, and where it stands, from the chat's rows alone."""

import re
from collections.abc import AsyncIterator, Mapping
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from typing import Any
from uuid import UUID

from perdure.access.chats import Chats, Seen
from perdure.core.action import ActionKind
from perdure.core.cursor import Cursor
from perdure.core.errors import ChatNotFound, NotFound
from perdure.core.events import (
    ActionRequired,
    ErrorEvent,
    HistoryReset,
    MessageEvent,
    PendingAction,
    StatusEvent,
)
from perdure.core.ids import ChatId
from perdure.core.message import Message, Role
from perdure.faces.asked import TurnId
from perdure.faces.conversation import text_of
from perdure.faces.following import DECIDED, TurnFeed
from perdure.faces.turn import Answered, Called, Ended, Outcome, Returned, TurnEvent
from perdure.stream.hubs import Hubs

POLL_MS = 1_000
_NAME = re.compile(r"turn-([0-9a-f]{32})-([1-9][0-9]{0,8})")
_MOVES = (ActionRequired, ErrorEvent, HistoryReset, MessageEvent, StatusEvent)
"""What may change where a turn stands. Pieces of an answer do not."""


class NoTask(NotFound):
    def __init__(self, name: object) -> None:
        super().__init__(f"There is no task {name!r}.")


def task_id(turn: TurnId) -> str:
    return f"turn-{turn.chat_id.hex}-{turn.number}"


def turn_named(name: object) -> TurnId:
    match = _NAME.fullmatch(name) if isinstance(name, str) else None
    if match is None:
        raise NoTask(name)
    return TurnId(ChatId(UUID(match[1])), int(match[2]))


class TaskStatus(StrEnum):
    WORKING = "working"
    INPUT_REQUIRED = "input_required"
    COMPLETED = "completed"
    CANCELLED = "cancelled"


_CANCELLED = frozenset({Outcome.STOPPED, Outcome.REPLACED})


@dataclass(frozen=True, slots=True, kw_only=True)
class Task:
    """Where a turn stands."""

    turn: TurnId
    seen: Seen
    created_at: datetime
    updated_at: datetime
    events: tuple[TurnEvent, ...]
    action: PendingAction | None = None

    @property
    def ended(self) -> Ended | None:
        last = self.events[-1] if self.events else None
        return last if isinstance(last, Ended) and last.outcome is not Outcome.CALLS else None

    @property
    def status(self) -> TaskStatus:
        if self.ended is not None:
            return TaskStatus.CANCELLED if self.ended.outcome in _CANCELLED else TaskStatus.COMPLETED
        asks = self.action is not None and self.action.kind in DECIDED
        return TaskStatus.INPUT_REQUIRED if asks else TaskStatus.WORKING

    @property
    def failed(self) -> bool:
        return self.ended is not None and self.ended.outcome is Outcome.FAILED

    @property
    def text(self) -> str:
        """The newest answer."""
        answers = [event.message for event in self.events if isinstance(event, Answered)]
        return text_of(answers[-1]) if answers else ""

    @property
    def message(self) -> str:
        """What it does, in a sentence."""
        match self.status:
            case TaskStatus.INPUT_REQUIRED:
                assert self.action is not None
                return f"The chat waits for its owner: {_WAITS[self.action.kind]}."
            case TaskStatus.COMPLETED if self.failed:
                return self.error
            case TaskStatus.COMPLETED:
                return "The turn is over."
            case TaskStatus.CANCELLED:
                return "The turn was stopped."
            case _:
                return _newest(self.events)

    @property
    def error(self) -> str:
        ended = self.ended
        return ended.error.message if ended is not None and ended.error is not None else "The turn failed."


_WAITS: Mapping[ActionKind, str] = {
    ActionKind.APPROVAL: "a call is to be approved or denied",
    ActionKind.OUTCOME_UNKNOWN: "nobody knows whether a call happened",
    ActionKind.ELICITATION: "a call asks something",
    ActionKind.BUDGET: "its budget is used up",
}


def _newest(events: tuple[TurnEvent, ...]) -> str:
    steps = [step for event in events if (step := step_of(event))]
    return steps[-1] if steps else "The agent is at work."


def step_of(event: TurnEvent) -> str:
    """A step of a turn for whoever waits for it; nothing where it is none."""
    match event:
        case Called(call=call):
            return f"The agent calls {call.tool}."
        case Returned(result=result):
            return f"{result.tool} {'failed' if result.is_error else 'is done'}."
        case _:
            return ""


class Tasks:
    """The turns that one caller may read."""

    def __init__(self, chats: Chats, hubs: Hubs) -> None:
        self._chats = chats
        self._hubs = hubs

    async def read(self, turn: TurnId) -> Task:
        """Where a turn stands. Raises NoTask where nobody asked anything there that is still asked."""
        try:
            seen = await self._chats.read(turn.chat_id)
        except ChatNotFound:
            raise NoTask(task_id(turn)) from None
        return await self._task(seen, turn)

    async def newest(self, seen: Seen) -> Task:
        """The turn that a chat is at."""
        return await self._task(seen, TurnId(seen.chat.id, int(seen.chat.turn)))

    async def follow(self, turn: TurnId) -> AsyncIterator[Task]:
        """Where it stands now and after every move, until it is over.

        Raises `stream.subscription.Ended` where the stream is cut before that.
        """
        task = await self.read(turn)
        yield task
        if task.ended is not None:
            return
        cursor = Cursor.parse(task.seen.cursor_after(task.seen.chat))
        async with self._hubs.follow(turn.chat_id, cursor) as subscription:
            while task.ended is None:
                batch = await subscription.next()
                # A watch has other events; a chat's stream has these.
                if any(isinstance(event, _MOVES) for event in batch.events):
                    task = await self.read(turn)
                    yield task

    async def _task(self, seen: Seen, turn: TurnId) -> Task:
        asked = await self._asked(turn)
        feed = TurnFeed(self._chats, self._hubs, turn.chat_id, turn.number, frozenset())
        events = tuple(await feed.now())
        current = seen.chat.turn == turn.number
        answers = [event.message.created_at for event in events if isinstance(event, Answered)]
        moved = seen.card.updated_at if current else max([asked.created_at, *answers])
        return Task(
            turn=turn,
            seen=seen,
            created_at=asked.created_at,
            updated_at=moved,
            events=events,
            action=await self._chats.action(seen) if current else None,
        )

    async def _asked(self, turn: TurnId) -> Message:
        found = await self._chats.oldest(turn.chat_id, after=turn.number - 1, limit=1)
        if not found or found[0].number != turn.number or found[0].role is not Role.USER:
            raise NoTask(task_id(turn))
        return found[0]


def task_fields(task: Task, *, modern: bool) -> dict[str, Any]:
    """What both versions of the protocol say of a task. The names of times differ."""
    ttl, poll = ("ttlMs", "pollIntervalMs") if modern else ("ttl", "pollInterval")
    return {
        "taskId": task_id(task.turn),
        "status": task.status.value,
        "statusMessage": task.message,
        "createdAt": task.created_at.isoformat(),
        "lastUpdatedAt": task.updated_at.isoformat(),
        # A chat is kept until somebody deletes it.
        ttl: None,
        poll: POLL_MS,
    }
