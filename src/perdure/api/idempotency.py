"""One answer for all requests with the same Idempotency-Key.

The key is written with the change it belongs to: by the machine in its one statement, or in the transaction that a
handler runs in. Work that is done elsewhere, and may be done again, holds no transaction: its key is written after it.
Requests of one replica with the same key take turns; those of several meet at the unique key.
"""

import asyncio
import base64
import hashlib
from collections.abc import Awaitable, Callable
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass
from typing import Any, Generic, TypeVar
from weakref import WeakValueDictionary

from msgspec import structs

from perdure.access.actor import ActorRows
from perdure.access.keyring import Keyring
from perdure.api.http import Answer, Call
from perdure.api.routing import Route
from perdure.core.commit import Commit, IdempotencyKey
from perdure.core.errors import InvalidInput, KeyReused, KeyTaken, PerdureError, Validation
from perdure.core.ids import UserId
from perdure.core.timing import IDEMPOTENCY_KEPT, Clock
from perdure.machine.machine import Request
from perdure.store.tables import idempotency_keys

HEADER = "idempotency-key"
LONGEST = 255
_PURPOSE = "kept answer"


@dataclass(frozen=True, slots=True)
class Claim:
    """A key that came with a request, and what the request was."""

    route: Route
    key: str
    request_hash: bytes

    @classmethod
    def of(cls, route: Route, call: Call, body: bytes) -> "Claim | None":
        key = call.headers.get(HEADER)
        if key is None or route.reads:
            return None
        if not 1 <= len(key) <= LONGEST or not key.isprintable():
            detail = f"must have 1 to {LONGEST} printable characters"
            raise InvalidInput("The Idempotency-Key is not valid.", Validation("Idempotency-Key", detail))
        request = b"\0".join((call.path.encode(), call.query_string.encode(), body))
        return cls(route, key, hashlib.sha256(request).digest())

    def written(self, user_id: object, answer: Answer) -> IdempotencyKey:
        """The row that the machine writes together with its change."""
        return IdempotencyKey(
            caller=user_id,
            route=self.route.name,
            key=self.key,
            request_hash=self.request_hash,
            answer=answer.body.decode(),
        )


class IdempotencyKeys:
    """Runs a request once per key."""

    def __init__(self, keyring: Keyring) -> None:
        self._keyring = keyring
        self._turns = WeakValueDictionary[tuple[object, str, str], asyncio.Lock]()
        self._room: asyncio.Semaphore | None = None

    async def once(self, claim: Claim, rows: ActorRows, run: Callable[[ActorRows], Awaitable[Answer]]) -> Answer:
        async with self._turn(claim, rows):
            kept = await self.kept(claim, rows)
            if kept is not None:
                return kept
            try:
                return await self._first(claim, rows, run)
            except PerdureError:
                # Another replica may have done it meanwhile, so that it is no longer possible here.
                kept = await self.kept(claim, rows)
                if kept is None:
                    raise
                return kept

    def _turn(self, claim: Claim, rows: ActorRows) -> AbstractAsyncContextManager[Any]:
        name = (rows.actor.user_id, claim.route.name, claim.key)
        lock = self._turns.get(name)
        if lock is None:
            lock = self._turns[name] = asyncio.Lock()
        return lock

    async def kept(self, claim: Claim, rows: ActorRows) -> Answer | None:
        """What was answered to the first request with this key."""
        kept = await idempotency_keys.kept(rows, claim.route.name, claim.key, IDEMPOTENCY_KEPT)
        if kept is None:
            return None
        if kept.request_hash != claim.request_hash:
            raise KeyReused
        return self._restored(claim.route, kept.answer)

    async def _first(self, claim: Claim, rows: ActorRows, run: Callable[[ActorRows], Awaitable[Answer]]) -> Answer:
        if claim.route.by_machine:
            return await run(rows)
        if not claim.route.apart:
            return await self._in_transaction(claim, rows, run)
        answer = await run(rows)
        stored = self._stored(claim.route, answer)
        await idempotency_keys.note(rows, claim.route.name, claim.key, claim.request_hash, stored)
        return answer

    async def _in_transaction(
        self, claim: Claim, rows: ActorRows, run: Callable[[ActorRows], Awaitable[Answer]]
    ) -> Answer:
        async with self._connections(rows), rows.together() as bound:
            name, key = claim.route.name, claim.key
            if await idempotency_keys.begin(bound, name, key, claim.request_hash) is None:
                raise KeyTaken
            answer = await run(bound)
            await idempotency_keys.keep(bound, name, key, self._stored(claim.route, answer))
            return answer

    def _connections(self, rows: ActorRows) -> asyncio.Semaphore:
        """Half of them: a handler that holds one may ask for another, such as for settings that are not in memory."""
        if self._room is None:
            self._room = asyncio.Semaphore(max(1, rows.connections // 2))
        return self._room

    def _stored(self, route: Route, answer: Answer) -> str:
        text = answer.body.decode()
        return base64.b64encode(self._keyring.seal(text, _PURPOSE)).decode() if route.secret else text

    def _restored(self, route: Route, text: str) -> Answer:
        if route.secret:
            text = self._keyring.open(base64.b64decode(text), _PURPOSE)
        headers = (("content-type", "application/json"), ("idempotent-replay", "true"))
        return Answer(route.status, text.encode(), headers if text else headers[1:])


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
