"""What a hub has told its subscribers, as a chain: whoever is behind keeps just what it still has to read alive."""

import asyncio
from dataclasses import dataclass, field
from typing import TypeAlias

from perdure.core.cursor import Cursor
from perdure.core.events import PresentPerson
from perdure.live.episodes import EpisodeKey, Piece
from perdure.stream.batches import Batch, parts_batch


@dataclass(slots=True, eq=False)
class Anchor:
    """Where a chain begins. Says nothing."""

    next: "Node | None" = field(default=None, repr=False)


@dataclass(slots=True, eq=False)
class Synced:
    """The chat moved."""

    before: Cursor
    after: Cursor
    batch: Batch
    next: "Node | None" = field(default=None, repr=False)


@dataclass(slots=True, eq=False)
class Parts:
    """An episode grew."""

    before: Cursor
    after: Cursor
    key: EpisodeKey
    pieces: list[Piece]
    next: "Node | None" = field(default=None, repr=False)
    _batch: Batch | None = None
    _run: "tuple[Parts, Batch] | None" = None

    @property
    def batch(self) -> Batch:
        if self._batch is None:
            self._batch = parts_batch(self.key, self.pieces, self.before)
        return self._batch

    def batch_until(self, last: "Parts") -> Batch:
        """Everything from here to a later link of the run, merged once for all who are as far behind."""
        if last is self:
            return self.batch
        if self._run is None or self._run[0] is not last:
            pieces, link = list(self.pieces), self.next
            while isinstance(link, Parts):
                pieces += link.pieces
                if link is last:
                    break
                link = link.next
            self._run = last, parts_batch(self.key, pieces, self.before)
        return self._run[1]


@dataclass(slots=True, eq=False)
class Present:
    """Others follow the chat than before. It moves nobody's cursor."""

    people: tuple[PresentPerson, ...]
    next: "Node | None" = field(default=None, repr=False)


@dataclass(slots=True, eq=False)
class End:
    """Nothing more comes."""

    reason: str
    next: None = None


Node: TypeAlias = Anchor | Synced | Parts | Present | End


class Chain:
    """The newest link, and those who wait for the next one."""

    def __init__(self) -> None:
        self.tail: Node = Anchor()
        self._waiting: list[asyncio.Future[None]] = []

    @property
    def over(self) -> bool:
        return isinstance(self.tail, End)

    def append(self, link: Synced | Parts | Present | End) -> None:
        """Another link, unless the chain has ended."""
        if isinstance(self.tail, End):
            return
        self.tail.next = link
        self.tail = link
        waiting, self._waiting = self._waiting, []
        for growth in waiting:
            if not growth.done():
                growth.set_result(None)

    async def grown(self) -> None:
        """Wait until there is another link."""
        growth = asyncio.get_running_loop().create_future()
        self._waiting.append(growth)
        await growth
