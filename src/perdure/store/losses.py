"""Noticing that the database lost commits that this replica had seen: a failover to a standby that was behind."""

import logging
from collections.abc import Awaitable, Iterable, Iterator
from math import inf
from typing import TypeVar, cast

from msgspec import Struct

from perdure.core.commit import Commit
from perdure.core.cursor import Line
from perdure.core.errors import DatabaseFault, Unavailable
from perdure.core.ids import ChatId, OrganisationId, ReplicaId, RunnerId
from perdure.core.notice import DELETED, Notice, Topic
from perdure.core.timing import (
    LEASE,
    NEW_CHAT,
    SAID_AGAIN_LONGEST,
    SAID_AGAIN_LOOK,
    UNSERVED,
    Clock,
    SystemClock,
)
from perdure.observe.measures.service import DatabaseMeasures
from perdure.observe.metrics import Metrics
from perdure.store.pool import Pool
from perdure.store.tables import audit, chats, journal, replicas
from perdure.store.tables.chats import Past
from perdure.store.tables.journal import CallRun

K = TypeVar("K")
V = TypeVar("V")
_log = logging.getLogger(__name__)

# How many chats, and how many calls, are remembered: the newest.
REMEMBERED = 10_000
_BATCH = 1_000
_ALL_GONE = "it was made and is gone, with all that was said in it"
SAID_AGAIN = LEASE + UNSERVED
"""How long calls that must not happen twice wait at least after a failover."""


class Made(Struct, frozen=True):
    """A chat that this replica made, and when."""

    organisation_id: OrganisationId
    at: float


class Started(Struct, frozen=True):
    """A call that must not happen twice, which this replica started."""

    call: CallRun
    runner_id: RunnerId
    tool: str


class Losses:
    """Remembers what this replica committed, showed and started, and looks for it after every failover.

    Each chat that went back is one line in the log, one in the audit log and one more on the counter. Calls whose line
    in the journal is gone get it again, so that nobody starts them a second time unasked.
    """

    def __init__(self, pool: Pool, measures: DatabaseMeasures | None = None, *, clock: Clock | None = None) -> None:
        self._pool = pool
        self._clock = clock or SystemClock()
        self._moved_at = -inf
        """When another server of the database was met."""
        self._count = (measures or DatabaseMeasures(Metrics())).lost_histories
        self._snapshots: dict[tuple[ChatId, int], int] = {}
        """The newest snapshot of each chat on each line of the database's history."""
        self._started: dict[CallRun, Started] = {}
        self._made: dict[ChatId, Made] = {}
        self._said: dict[tuple[ChatId, int], None] = {}
        self._line = 0
        """The line that the database is on."""
        self._unsure = False
        """Whether something is remembered of a line before."""
        self._told: tuple[int, ReplicaId] | None = None
        """Of which line the others were told last that this replica has looked, and under which id."""

    def committed(self, commit: Commit) -> None:
        """Take note of a change that this replica made."""
        if commit.new_card is not None:
            organisation_id = cast("OrganisationId", commit.new_card.organisation_id)
            _keep(self._made, commit.chat.id, Made(organisation_id, self._clock.monotonic()))
        self.remember(commit.chat.id, commit.chat.snapshot_version, commit.line)

    def remember(self, chat_id: ChatId, snapshot: int, line: int | None) -> None:
        if line:
            key = chat_id, line
            _keep(self._snapshots, key, max(snapshot, self._snapshots.pop(key, 0)))
            self._unsure = self._unsure or line < self._line

    def heard(self, notice: Notice) -> None:
        """Whoever deletes a chat says so: it is not lost."""
        if notice.topic is Topic.CHAT and notice.name == DELETED and notice.chat_id is not None:
            self._made.pop(notice.chat_id, None)

    def started(self, started: Started) -> None:
        _keep(self._started, started.call, started)

    def moved(self) -> None:
        """Another server answers, which may not know what calls were started."""
        self._moved_at = self._clock.monotonic()

    async def settled(self) -> None:
        """Wait until every replica has said again what it started, or was not heard of for long."""
        while (left := self._moved_at + SAID_AGAIN.total_seconds() - self._clock.monotonic()) > 0:
            await self._clock.sleep(left)
        until = self._moved_at + SAID_AGAIN_LONGEST.total_seconds()
        while self._clock.monotonic() < until and await replicas.owing(self._pool, SAID_AGAIN_LONGEST):
            await self._clock.sleep(SAID_AGAIN_LOOK.total_seconds())

    async def said_again(self, line: int, replica_id: ReplicaId) -> None:
        """Tell the others that this replica has looked, on this line, for what a failover may have lost."""
        if self._told != (line, replica_id) and await replicas.said_again(self._pool, replica_id):
            self._told = line, replica_id

    def has_started(self, call: CallRun) -> bool:
        """Whether this replica started the call before, whatever the database knows of it."""
        return call in self._started

    async def look(self, line: int) -> None:
        """Compare what is remembered of other lines with what the database has on this one."""
        if line > self._line:
            await self.restore_calls()
            self._line, self._unsure = line, True
        if not self._unsure:
            return
        earlier = {key: snapshot for key, snapshot in self._snapshots.items() if key[1] < self._line}
        for some in _batches(earlier):
            found = {past.id: past for past in await chats.pasts(self._pool, [chat_id for chat_id, _ in some])}
            for chat_id, on in some:
                if chat_id in found:
                    await self._compare(found[chat_id], on, earlier[chat_id, on])
                else:
                    await self._missed(chat_id)
                self._snapshots.pop((chat_id, on), None)
        self._unsure = False

    async def say(self, chat_id: ChatId, *, remembered: int, found: int, on: int | None = None) -> None:
        """The chat was at one version, and what the database has now does not come after it."""
        key = chat_id, on or max((line for known, line in self._snapshots if known == chat_id), default=0)
        if key in self._said:
            return
        _keep(self._said, key, None)
        self._count.inc()
        text = f"version {remembered} was committed and is gone; the database has version {found} of another past"
        _log.error("the database lost changes of chat %s: %s", chat_id, text)
        await _noted(audit.note_loss(self._pool, chat_id, text))

    async def _compare(self, past: Past, on: int, snapshot: int) -> None:
        line = Line(past.line, dict(zip(past.earlier_lines, past.last_snapshots, strict=True)))
        if line.lost(snapshot, on, newest=past.snapshot_version):
            await self.say(past.id, remembered=snapshot, on=on, found=past.snapshot_version)

    async def _missed(self, chat_id: ChatId) -> None:
        """The database knows nothing of a chat: if it was made a moment ago, and nobody deleted it, it was lost."""
        made = self._made.pop(chat_id, None)
        if made is None or self._clock.monotonic() - made.at > NEW_CHAT.total_seconds():
            return
        self._count.inc()
        _log.error("the database lost chat %s: %s", chat_id, _ALL_GONE)
        await _noted(audit.note_lost_chat(self._pool, made.organisation_id, str(chat_id), _ALL_GONE))

    async def restore_calls(self) -> None:
        """Write the lines of the journal again that a failover lost."""
        for some in _batches(self._started.values()):
            calls = [each.call for each in some]
            await journal.restore(
                self._pool,
                [call.chat_id for call in calls],
                [call.message for call in calls],
                [call.index for call in calls],
                [call.run for call in calls],
                [each.tool for each in some],
                [each.runner_id for each in some],
            )


async def _noted(note: Awaitable[object]) -> None:
    try:
        await note
    except (Unavailable, DatabaseFault) as error:
        _log.warning("the loss could not be noted in the audit log: %s", error)


def _batches(all_of_them: Iterable[K]) -> Iterator[list[K]]:
    listed = list(all_of_them)
    return (listed[place : place + _BATCH] for place in range(0, len(listed), _BATCH))


def _keep(kept: dict[K, V], key: K, value: V) -> None:
    """Keep it as the newest, and as many as are to be remembered."""
    kept.pop(key, None)
    kept[key] = value
    if len(kept) > REMEMBERED:
        del kept[next(iter(kept))]
