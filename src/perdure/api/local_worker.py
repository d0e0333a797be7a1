"""How a handler hands a chat to this replica's own worker in the very commit that makes it runnable."""

from collections.abc import Generator, Sequence
from typing import Protocol, Self

from perdure.core.card import Card
from perdure.core.chat import Chat, Status
from perdure.core.commit import Commit
from perdure.core.ids import UserId
from perdure.machine.change import Owner
from perdure.machine.machine import Bundle
from perdure.machine.transitions import Acquire, RecordGenerationAttempt, Transition


class LocalWorker(Protocol):
    def take(self, user_id: UserId) -> Owner | None:
        """An owner for a chat of this user, or None where there is no place. The place is kept until it is known."""
        ...

    def taken(self, committed: Commit, owner: Owner, *, card: Card | None = None) -> None:
        """The chat is ours: drive it from the row that was committed, with the card that was read for it."""
        ...

    def untaken(self, owner: Owner) -> None:
        """Nothing came of it, if nothing has been taken."""
        ...


class LocalStart:
    """One request's wish to have its chat driven here. The place is given back at the end where nothing came of it."""

    def __init__(self, worker: LocalWorker, user_id: UserId) -> None:
        self._worker = worker
        self._user_id = user_id
        self._owner: Owner | None = None

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        if self._owner is not None:
            self._worker.untaken(self._owner)

    def bundle(self, *transitions: Transition) -> Bundle:
        """The transitions, with an owner wherever they lead to a running chat that has none."""
        return lambda _: self.transitions(*transitions)

    def transitions(self, *transitions: Transition) -> Generator[Transition, Chat]:
        chat: Chat | None = None
        for transition in transitions:
            chat = yield transition
        # A loop, as a tuple cannot be sent anything.
        for transition in () if chat is None else self._acquiring(chat):
            yield transition

    def _acquiring(self, chat: Chat) -> Sequence[Transition]:
        if chat.status is not Status.RUNNING or chat.owned:
            return ()
        self._owner = self._owner or self._worker.take(self._user_id)
        if self._owner is None:
            return ()
        # A chat with a budget of its own sets aside what an attempt may cost, which only its runner knows.
        attempt = () if chat.budget_limit is not None else (RecordGenerationAttempt(),)
        return Acquire(self._owner), *attempt

    def done(self, committed: Commit, card: Card | None = None) -> None:
        if self._owner is not None and committed.chat.runner_id == self._owner.runner_id:
            self._worker.taken(committed, self._owner, card=card)
