"""How a handler hands a chat to this replica's own worker in the very commit that makes it runnable."""

from collections.abc import Sequence
from typing import Protocol

from perdure.core.chat import Chat, Status
from perdure.machine.change import Owner
from perdure.machine.diagram import follow
from perdure.machine.machine import Bundle, Committed
from perdure.machine.transitions import Transition
from perdure.machine.transitions.ownership import Acquire
from perdure.machine.transitions.steps import RecordGenerationAttempt


class Taker(Protocol):
    def take(self, chat: Chat) -> Owner | None:
        """The owner that a chat would get here, or None where there is no room. Promises nothing yet."""
        ...

    def taken(self, committed: Committed) -> None:
        """The chat is ours: drive it from the row that was committed."""
        ...


class Nobody:
    """A replica without a worker: others find the chat."""

    def take(self, chat: Chat) -> Owner | None:  # noqa: ARG002
        return None

    def taken(self, committed: Committed) -> None:
        raise AssertionError(f"nobody takes {committed.chat.id}")


def first_taken(taker: Taker, created: Chat, transitions: Sequence[Transition]) -> Sequence[Transition]:
    """The transitions that create a chat, with its first owner if there is room."""
    return (*transitions, *_acquiring(taker, created))


def taking(taker: Taker, transitions: Sequence[Transition]) -> Bundle:
    """The transitions, with an owner wherever they lead to a running chat that has none."""

    def bundle(chat: Chat) -> Sequence[Transition]:
        return (*transitions, *_acquiring(taker, follow(chat, transitions).chat))

    return bundle


def _acquiring(taker: Taker, chat: Chat) -> Sequence[Transition]:
    if chat.status is not Status.RUNNING or chat.owned:
        return ()
    owner = taker.take(chat)
    return () if owner is None else (Acquire(owner), RecordGenerationAttempt())
