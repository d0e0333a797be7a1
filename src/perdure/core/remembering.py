"""Values that are made of objects once, for as long as the same objects come again."""

from collections.abc import Callable, Hashable, Sequence
from typing import Generic, TypeVar

K = TypeVar("K")
V = TypeVar("V")


class MadeOnce(Generic[K, V]):
    """Keeps what was made of the newest objects. Objects are told apart by identity, so they must never change."""

    def __init__(self, make: Callable[[K], V], *, room: int) -> None:
        self._make = make
        self._made = _Made[K, V](room)

    def __call__(self, of: K) -> V:
        key = id(of)
        found = self._made.get(key)
        return found[1] if found is not None else self._made.keep(key, of, self._make(of))


class MadeOnceOfAll(Generic[K, V]):
    """The same for several objects at once, in their order: one look for all of them."""

    def __init__(self, make: Callable[[Sequence[K]], V], *, room: int) -> None:
        self._make = make
        self._made = _Made[Sequence[K], V](room)

    def __call__(self, of: Sequence[K]) -> V:
        key = tuple(map(id, of))
        found = self._made.get(key)
        return found[1] if found is not None else self._made.keep(key, tuple(of), self._make(of))


class _Made(dict[Hashable, tuple[K, V]]):
    """With the objects themselves, so that no other one can have the identity of one of them meanwhile."""

    def __init__(self, room: int) -> None:
        super().__init__()
        self._room = room

    def keep(self, key: Hashable, of: K, value: V) -> V:
        self[key] = of, value
        if len(self) > self._room:
            del self[next(iter(self))]
        return value
