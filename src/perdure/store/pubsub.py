"""How replicas hear of each other's commits: hints, batched, best effort."""

from collections.abc import Callable, Iterable
from typing import Protocol

from perdure.core.notice import Notice

Listener = Callable[[Notice], None]


class Pubsub(Protocol):
    """Carries notices to every listener of every replica. They may be lost, doubled or reordered."""

    def publish(self, notices: Iterable[Notice]) -> None:
        """Announce soon. Listeners of this process hear it at once, those of others a little later."""
        ...

    def listen(self, listener: Listener) -> Callable[[], None]:
        """Call the listener for every notice; the result stops that."""
        ...

    def count(self, replicas: int) -> None:
        """Take note of how many replicas live, this one included."""
        ...


class LocalBus:
    """Notices within one process: what every pubsub does first."""

    def __init__(self) -> None:
        self._listeners: list[Listener] = []

    def publish(self, notices: Iterable[Notice]) -> None:
        for notice in notices:
            for listener in tuple(self._listeners):
                listener(notice)

    def listen(self, listener: Listener) -> Callable[[], None]:
        self._listeners.append(listener)
        return lambda: self._listeners.remove(listener)

    def count(self, replicas: int) -> None:
        """It makes no difference within one process."""
