"""The answer to a change: built before it is written where an Idempotency-Key asks to keep it, otherwise after."""

from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime
from typing import Generic, TypeVar

from msgspec import structs

from perdure.api.http import Answer
from perdure.api.idempotency import Claim
from perdure.core.chat import Chat
from perdure.core.clock import Clock
from perdure.core.events import QueuedMessage
from perdure.core.ids import UserId
from perdure.core.message import Message, Visibility
from perdure.core.public import public_message, public_queued
from perdure.machine.change import Plan, Rows
from perdure.machine.machine import Committed, Request
from perdure.store.commit import IdempotencyKey

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Outcome:
    """What a change comes to. All of it is planned; only the moment is the database's."""

    chat: Chat
    rows: Rows
    at: datetime

    @property
    def messages(self) -> tuple[Message, ...]:
        """The messages that the change brings, as clients see them."""
        revision = self.chat.snapshot_version
        return tuple(
            public_message(Message(**structs.asdict(message), number=number, revision=revision, created_at=self.at))
            for number, message in self.rows.messages
            if message.visibility is not Visibility.MODEL
        )

    @property
    def queued(self) -> QueuedMessage | None:
        """The message that the change puts into the queue."""
        if not self.rows.enqueued:
            return None
        number, message = self.rows.enqueued[-1]
        queued = QueuedMessage(
            number=number,
            parts=message.parts,
            steer=any(entry.number == number and entry.steer for entry in self.chat.queue),
            model=message.model,
            effort=message.effort,
            created_by=message.created_by,
            created_at=self.at,
            client_id=message.client_id,
        )
        return public_queued(queued)


class Reply(Generic[T]):
    """One answer for the caller and for the key: both get the same bytes."""

    def __init__(self, build: Callable[[Outcome], T], claim: Claim | None, user_id: UserId, clock: Clock) -> None:
        self._build = build
        self._claim = claim
        self._user_id = user_id
        self._clock = clock
        self._kept: T | None = None

    @property
    def request(self) -> Request:
        return Request() if self._claim is None else Request(key=self._key)

    def of(self, committed: Committed) -> T:
        if self._kept is not None:
            return self._kept
        at = committed.chat.updated_at
        assert at is not None
        return self._build(Outcome(committed.chat, committed.plan.rows, at))

    def _key(self, plan: Plan) -> IdempotencyKey:
        assert self._claim is not None
        self._kept = self._build(Outcome(plan.chat, plan.rows, self._clock.now()))
        return self._claim.written(self._user_id, Answer.json(self._claim.route.status, self._kept))
