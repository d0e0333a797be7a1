"""Values that are made of an object once, for as long as the same object comes again."""

from collections.abc import Callable
from typing import Generic, TypeVar

K = TypeVar("K")
V = TypeVar("V")


class MadeOnce(Generic[K, V]):
    """Keeps what was made of the newest objects. Objects are told apart by identity, so they must never change."""

    def __init__(self, make: Callable[[K], V], *, room: int) -> None:
        self._make = make
        self._room = room
        # With the object, so that no other one can have its id meanwhile.
        self._made: dict[int, tuple[K, V]] = {}

    def __call__(self, of: K) -> V:
        found = self._made.get(id(of))
        if found is not None:
            return found[1]
        value = self._make(of)
        self._made[id(of)] = of, value
        if len(self._made) > self._room:
            del self._made[next(iter(self._made))]
        return value
