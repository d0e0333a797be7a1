"""Every kind of arrow. Each is a frozen value with a pure plan; none of them knows the database."""

from typing import Protocol

from perdure.core.chat import Chat
from perdure.machine.change import Change


class Transition(Protocol):
    """A request to follow one arrow from wherever the chat is."""

    def plan(self, chat: Chat) -> Change | None:
        """What to write. None where what was asked for is already so. Raises where the conditions do not hold."""
        ...
