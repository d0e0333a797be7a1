"""Stored responses: what chains continue, what background mode fills and what a reader follows."""

import asyncio
from collections import OrderedDict
from dataclasses import dataclass, field

from perdure.sim.connection import Exchange
from perdure.sim.document import Json, is_object

CAPACITY = 10_000


@dataclass(slots=True)
class Stored:
    """One response: the items before it, its current state, and its events while it is made in the background."""

    items: list[dict[str, Json]]
    response: dict[str, Json]
    events: list[bytes] = field(default_factory=list[bytes])
    cut_at: int | None = None
    done: bool = False
    task: asyncio.Task[None] | None = None
    _changed: asyncio.Event = field(default_factory=asyncio.Event)

    def write(self, data: bytes) -> None:
        """Take events; a blank line ends each."""
        self.events.extend(event + b"\n\n" for event in data.split(b"\n\n")[:-1])
        self._wake()

    async def drain(self) -> None:
        """Nothing holds a background response back."""

    def end(self, data: bytes = b"") -> None:
        """The last events."""
        self.write(data)
        self.done = True
        self._wake()

    def abort(self) -> None:
        """The first reader loses its connection here; the response goes on."""
        self.cut_at = len(self.events)
        self._wake()

    async def follow(self, exchange: Exchange, after: int, *, first: bool) -> None:
        """Send every event past this number, as they come."""
        sent = after + 1
        while True:
            there = len(self.events) if self.cut_at is None or not first else self.cut_at
            if sent < there:
                exchange.write(b"".join(self.events[sent:there]))
                sent = there
                await exchange.drain()
            elif first and self.cut_at is not None:
                exchange.abort()
                return
            elif self.done:
                exchange.end()
                return
            else:
                await self._changed.wait()

    def _wake(self) -> None:
        self._changed.set()
        self._changed = asyncio.Event()


class Responses:
    """The newest stored responses, by id."""

    def __init__(self) -> None:
        self._known: OrderedDict[str, Stored] = OrderedDict()

    def get(self, id: str) -> Stored | None:  # noqa: A002
        """A stored response."""
        return self._known.get(id)

    def item(self, id: str) -> dict[str, Json] | None:  # noqa: A002
        """An output item of a stored response."""
        for stored in reversed(self._known.values()):
            output = stored.response["output"]
            for item in output if isinstance(output, list) else []:
                if is_object(item) and item.get("id") == id:
                    return item
        return None

    def keep(self, id: str, stored: Stored) -> Stored:  # noqa: A002
        """Store a response; the oldest makes room."""
        self._known[id] = stored
        self._known.move_to_end(id)
        if len(self._known) > CAPACITY:
            self._known.popitem(last=False)
        return stored

    def close(self) -> None:
        """Give up what is still being made."""
        for stored in self._known.values():
            if stored.task is not None:
                stored.task.cancel()

    def forget(self, id: str) -> bool:  # noqa: A002
        """Delete a stored response; says whether there was one."""
        return self._known.pop(id, None) is not None
