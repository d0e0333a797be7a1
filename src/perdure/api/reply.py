"""The answer to a change: built before it is written where an Idempotency-Key asks to keep it, otherwise after."""

from collections.abc import Callable
from typing import Generic, TypeVar

from msgspec import structs

from perdure.api.http import Answer
from perdure.api.idempotency import Claim
from perdure.core.clock import Clock
from perdure.core.commit import Commit, IdempotencyKey
from perdure.core.ids import UserId
from perdure.machine.machine import Request

T = TypeVar("T")


class Reply(Generic[T]):
    """One answer for the caller and for the key: both get the same bytes."""

    def __init__(self, build: Callable[[Commit], T], claim: Claim | None, user_id: UserId, clock: Clock) -> None:
        self._build = build
        self._claim = claim
        self._user_id = user_id
        self._clock = clock
        self._kept: T | None = None

    @property
    def request(self) -> Request:
        return Request() if self._claim is None else Request(key=self._key)

    def of(self, committed: Commit) -> T:
        if self._kept is not None:
            return self._kept
        return self._build(committed)

    def _key(self, plan: Commit) -> IdempotencyKey:
        assert self._claim is not None
        # All of it is planned but the moment, which the database names.
        now = structs.replace(plan.chat, updated_at=self._clock.now())
        self._kept = self._build(structs.replace(plan, chat=now))
        return self._claim.written(self._user_id, Answer.json(self._claim.route.status, self._kept))
