"""Speaking for somebody who is not there: through the same doors as their own requests, once for each occasion."""

import hashlib
from collections.abc import Awaitable, Callable, MutableMapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any

import msgspec
from msgspec import Struct

from perdure.access.actor import PERMISSIONS, Actor, ActorRows, Role
from perdure.api.caller import Caller
from perdure.api.http import Answer, Call, Gone
from perdure.api.idempotency import Claim, IdempotencyKeys
from perdure.api.routes.chats import begin_chat, create_chat
from perdure.api.routes.messages import send_message
from perdure.api.routing import Handler
from perdure.api.services import Services
from perdure.api.table import TABLE
from perdure.api.wire.chats import CreateBody, SendBody
from perdure.core.card import ChatSource
from perdure.core.ids import ChatId, OrganisationId, UserId


@dataclass(frozen=True, slots=True)
class Occasion:
    """Why something is said now, for whom, and by what name it is known: the same occasion is admitted once."""

    name: str
    source: ChatSource
    user_id: UserId
    organisation_id: OrganisationId
    role: str
    person: str
    """How others know the user: what is said carries their name."""

    @staticmethod
    def named(kind: str, number: int, began: datetime) -> str:
        """The name of what a row asks for. A failover that loses rows gives their numbers again."""
        return f"{kind}/{number}/{began.isoformat()}"

    @property
    def actor(self) -> Actor:
        role = Role(self.role)
        return Actor(
            user_id=self.user_id,
            organisation_id=self.organisation_id,
            role=role,
            name=self.person,
            permissions=PERMISSIONS[role],
        )


class _Chat(Struct, frozen=True):
    id: ChatId


class _Admitted(Struct, frozen=True):
    """As much of the answer to a message or a new chat as is needed here."""

    chat: _Chat


class Admission:
    """Begins chats and speaks into them. However often an occasion is tried, one message comes of it."""

    def __init__(self, services: Services) -> None:
        self._services = services
        self._keys = IdempotencyKeys(services.keyring)

    def caller(self, occasion: Occasion) -> Caller:
        """Whoever the occasion is for, to look something up."""
        return Caller(self._services, self._services.rows(occasion.actor), _call(), None, source=occasion.source)

    async def known(self, occasion: Occasion) -> ChatId | None:
        """The chat that the occasion has led to already, if somebody admitted it and did not live to say so."""
        for handler in (create_chat, send_message):
            kept = await self._keys.kept(_claim(occasion, handler), self._services.rows(occasion.actor))
            if kept is not None:
                return _chat_of(kept)
        return None

    async def begin(self, occasion: Occasion, body: CreateBody, chat_id: ChatId | None = None) -> ChatId:
        """Begin a chat, the one of this id where one is given."""
        return await self._once(occasion, create_chat, lambda caller: begin_chat(caller, body, chat_id=chat_id))

    async def say(self, occasion: Occasion, chat_id: ChatId, body: SendBody) -> ChatId:
        return await self._once(occasion, send_message, lambda caller: send_message(caller, chat_id, body))

    async def _once(self, occasion: Occasion, handler: Handler, said: Callable[[Caller], Awaitable[object]]) -> ChatId:
        claim = _claim(occasion, handler)

        async def run(rows: ActorRows) -> Answer:
            caller = Caller(self._services, rows, _call(), claim, source=occasion.source)
            answer = Answer.json(claim.route.status, await said(caller))
            caller.announcements.make()
            return answer

        return _chat_of(await self._keys.once(claim, self._services.rows(occasion.actor), run))


def _claim(occasion: Occasion, handler: Handler) -> Claim:
    route = next(route for route in TABLE.routes if route.handler is handler)
    return Claim(route, occasion.name, hashlib.sha256(occasion.name.encode()).digest())


def _chat_of(answer: Answer) -> ChatId:
    return msgspec.json.decode(answer.body, type=_Admitted).chat.id


def _call() -> Call:
    return Call("POST", "", {}, "", "", secure=True, receive=_nobody)


async def _nobody() -> MutableMapping[str, Any]:
    raise Gone
