"""One subscriber of a hub: where it is in the chain, and what it is sent next."""

from msgspec.structs import replace

from perdure.core.cursor import Cursor
from perdure.core.events import AnyEvent, PresenceEvent, PresentPerson
from perdure.stream.batches import Batch, joined, parts_batch
from perdure.stream.hub import Hub
from perdure.stream.log import End, Node, Parts, Present, Synced
from perdure.stream.view import START, News, start_again, sync, view_of


class Ended(Exception):
    """The stream is over. Its one argument says why."""


class Subscription:
    """Gives batch after batch. A subscriber that stays away finds its backlog merged."""

    def __init__(self, hub: Hub, cursor: Cursor | None) -> None:
        self._hub = hub
        self._cursor = cursor
        self._node: Node = hub.chain.tail
        self._seen = cursor or START
        self._begun = False

    async def next(self) -> Batch:
        """What comes next, as soon as there is something."""
        if not self._begun:
            return await self._first()
        while True:
            batches = await self._waiting()
            if batches:
                return joined(batches)
            while self._node.next is None:
                if isinstance(self._node, End):
                    raise Ended(self._node.reason)
                await self._hub.chain.grown()

    async def _first(self) -> Batch:
        """Everything that the subscriber has not seen, and the current state."""
        # The chain is held from here on, so that nothing told during the read is missed.
        reached = self._hub.seen.snapshot
        events = await self._read(None if self._cursor is None else self._seen)
        if self._seen.snapshot < reached:
            # The read was shared with somebody who asked before the chain moved to where it is held.
            events += await self._read(self._seen)
        self._begun = True
        if self._hub.people:
            events.append(self._present(self._hub.people))
        return joined([Batch(events), *self._known_parts()])

    def _present(self, people: tuple[PresentPerson, ...]) -> PresenceEvent:
        return PresenceEvent(cursor=str(self._seen), people=people)

    async def _read(self, seen: Cursor | None) -> list[AnyEvent]:
        reading = await self._hub.read(None if seen is None else seen.position)
        if seen is not None and seen.lost(reading.chat, reading.line):
            reading = await self._hub.read(START.position)
            events, self._seen = start_again(view_of(reading), News(reading.messages))
        else:
            events, self._seen = sync(self._seen, News(reading.messages, reading.cut), view_of(reading))
        return events

    def _known_parts(self) -> list[Batch]:
        """Parts of the current episode that are there already."""
        episode = self._hub.episode
        if episode is None or (episode.key.history_version, episode.key.attempt) != self._seen.episode:
            return []
        pieces = episode.parts_since(self._seen.seq)
        if not pieces:
            return []
        batch = parts_batch(episode.key, pieces, self._seen)
        self._seen = replace(self._seen, seq=self._seen.seq + len(pieces))
        return [batch]

    async def _waiting(self) -> list[Batch]:
        """What the links since the last one mean to this subscriber."""
        batches: list[Batch] = []
        while (node := self._node.next) is not None and not isinstance(node, End):
            if isinstance(node, Parts):
                node = self._last_of_run(node)
                batches += self._parts(self._node.next, node)
            elif isinstance(node, Synced):
                batches += await self._synced(node)
            elif isinstance(node, Present):
                batches.append(Batch([self._present(node.people)]))
            self._node = node
        if node is not None and not batches:
            self._node = node
        return [batch for batch in batches if batch.events]

    def _last_of_run(self, first: Parts) -> Parts:
        last = first
        while isinstance(last.next, Parts) and last.next.before == last.after:
            last = last.next
        return last

    def _parts(self, first: Node | None, last: Parts) -> list[Batch]:
        assert isinstance(first, Parts)
        if self._seen == first.before:
            self._seen = last.after
            return [first.batch_until(last)]
        if self._seen.episode != first.before.episode or self._seen.seq >= last.after.seq:
            return []
        return self._known_parts()

    async def _synced(self, node: Synced) -> list[Batch]:
        if self._seen == node.before:
            self._seen = node.after
            return [node.batch]
        if self._seen.snapshot >= node.after.snapshot and self._seen.metadata >= node.after.metadata:
            return []
        # It is not where the others were: what this link says is told from where it is.
        return [Batch(await self._read(self._seen)), *self._known_parts()]
