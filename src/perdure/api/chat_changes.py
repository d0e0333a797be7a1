"""Changes of chats that somebody asks for: each answered once; what comes to run is taken here if there is room."""

from collections.abc import Callable
from typing import TypeVar

from perdure.access.chats import Chats, Seen
from perdure.api.idempotency import Claim, Reply
from perdure.api.local_worker import LocalStart
from perdure.api.services import Services
from perdure.core.card import NewCard
from perdure.core.commit import Commit
from perdure.core.ids import ChatId, MessageNumber, UserId
from perdure.machine.following import follow
from perdure.machine.transitions import EditMessage, Target, Transition

T = TypeVar("T")


class ChatChanges:
    """The changes of one request."""

    def __init__(self, chats: Chats, services: Services, user_id: UserId, claim: Claim | None) -> None:
        self._chats = chats
        self._services = services
        self._user_id = user_id
        self._claim = claim

    async def create(
        self, chat_id: ChatId, card: NewCard, transition: Transition, *, answer: Callable[[Commit], T]
    ) -> T:
        """Bring a chat into being. If it runs and there is room, a worker of this replica takes it."""
        reply = self._reply(answer)
        with self._start() as start:
            committed = await self._chats.create(chat_id, card, start.transitions(transition), reply.request)
            start.done(committed)
        return reply.of(committed)

    def allowed(self, seen: Seen, transition: Transition) -> None:
        """Whether a chat would take this now. Raises what the machine would: nobody else is asked about it before."""
        follow(seen.chat, (transition,))

    async def follow(self, seen: Seen, *transitions: Transition, answer: Callable[[Commit], T]) -> T:
        """Follow arrows in a chat of the caller's own; a worker of this replica takes what comes to run."""
        reply = self._reply(answer)
        with self._start() as start:
            committed = await self._chats.advance(seen, start.bundle(*transitions), reply.request)
            start.done(committed, seen.turn_card)
        return reply.of(committed)

    async def edit(
        self,
        seen: Seen,
        number: MessageNumber,
        edit: Callable[[Target], EditMessage],
        *,
        answer: Callable[[Commit], T],
    ) -> T:
        """Replace a message, which is read together with the chat."""
        reply = self._reply(answer)
        with self._start() as start:
            committed = await self._chats.edit(seen, number, lambda target: start.bundle(edit(target)), reply.request)
            start.done(committed)
        return reply.of(committed)

    def _reply(self, answer: Callable[[Commit], T]) -> Reply[T]:
        return Reply(answer, self._claim, self._user_id, self._services.clock)

    def _start(self) -> LocalStart:
        return LocalStart(self._services.local_worker, self._user_id)
