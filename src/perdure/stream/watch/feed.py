"""One open watch: what its client knows of each chat, and what it is told next."""

import asyncio
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta

from perdure.core.action import ActionKind
from perdure.core.errors import InvalidInput, Validation
from perdure.core.events import ChatCard, InboxEvent, WatchEvent, WatchKind
from perdure.core.ids import ChatId, UserId
from perdure.store.watching import Departure, Mail, Seen
from perdure.stream.batches import Batch
from perdure.stream.subscription import Ended

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_MICROSECOND = timedelta(microseconds=1)
_DESCRIBED = ("summary", "turn_label", "labels", "pin", "shared", "model", "effort", "plan_mode", "workspace_id")
# A client that is told of more chats than this forgets the oldest, and may hear of one twice.
_REMEMBERED = 5_000


def cursor_of(position: datetime) -> str:
    """A position is a moment of the database's clock."""
    return str((position - _EPOCH) // _MICROSECOND)


def position_of(text: str) -> datetime:
    if not (text.isascii() and text.isdigit() and len(text) <= 17):
        raise InvalidInput("This cursor is not valid.", Validation("cursor", "not a cursor"))
    return _EPOCH + int(text) * _MICROSECOND


class Feed:
    """Events that wait to be sent to one client."""

    def __init__(self, viewer: UserId, position: datetime) -> None:
        self.viewer = viewer
        self.position = position
        self._waiting: list[WatchEvent | InboxEvent] = []
        self._some = asyncio.Event()
        # The first batch opens the stream, also where there is nothing to tell.
        self._some.set()
        self._ended = ""

    def tell(self, event: WatchEvent | InboxEvent) -> None:
        self._waiting.append(event)
        self._some.set()

    def end(self, reason: str) -> None:
        self._ended = reason
        self._some.set()

    async def next(self) -> Batch:
        await self._some.wait()
        self._some.clear()
        if self._ended:
            self._some.set()
            raise Ended(self._ended)
        waiting, self._waiting = self._waiting, []
        return Batch(waiting)


@dataclass(frozen=True, slots=True)
class Known:
    """What a client was last told of a chat."""

    snapshot: int
    metadata: int
    read: int
    card: ChatCard


class WatchFeed(Feed):
    """Tells each change once, by what about the chat is different from what was told before."""

    def __init__(self, viewer: UserId, position: datetime) -> None:
        super().__init__(viewer, position)
        self._known: dict[ChatId, Known] = {}
        self._lost: dict[ChatId, datetime] = {}
        self._began = position

    def saw(self, seen: Seen) -> None:
        known = self._known.get(seen.chat.id)
        now = Known(seen.chat.snapshot_version, seen.metadata_version, seen.read_number, seen.card)
        if known is not None and (known.snapshot, known.metadata, known.read) == (now.snapshot, now.metadata, now.read):
            return
        self._remember(seen.chat.id, now)
        for kind in _kinds(known.card, seen.card) if known else (self._first(seen),):
            self.tell(
                WatchEvent(
                    type=kind,
                    cursor=cursor_of(seen.position),
                    chat_id=seen.chat.id,
                    chat=seen.card,
                    snapshot_version=now.snapshot,
                    metadata_version=now.metadata,
                )
            )

    def lost(self, departure: Departure) -> None:
        if self._lost.get(departure.chat_id) != departure.at:
            self._lost[departure.chat_id] = departure.at
            self._known.pop(departure.chat_id, None)
            cursor = cursor_of(departure.position)
            self.tell(WatchEvent(type=WatchKind.DELETED, cursor=cursor, chat_id=departure.chat_id))

    def reset(self, position: datetime) -> None:
        self.tell(WatchEvent(type=WatchKind.WATCH_RESET, cursor=cursor_of(position)))

    def _first(self, seen: Seen) -> WatchKind:
        if seen.card.created_at > self._began:
            return WatchKind.CREATED
        return WatchKind.ACTION_REQUIRED if _asks(seen.card) else WatchKind.STATUS_CHANGE

    def _remember(self, chat_id: ChatId, known: Known) -> None:
        self._known.pop(chat_id, None)
        self._known[chat_id] = known
        if len(self._known) > _REMEMBERED:
            del self._known[next(iter(self._known))]


class InboxFeed(Feed):
    """Tells of each entry once in each of its states."""

    def __init__(self, viewer: UserId, position: datetime) -> None:
        super().__init__(viewer, position)
        self._told: dict[int, tuple[datetime, datetime | None]] = {}

    def got(self, mail: Mail) -> None:
        entry = mail.entry
        if entry is not None and self._told.get(entry.id) != (entry.created_at, entry.read_at):
            self._told[entry.id] = entry.created_at, entry.read_at
            self.tell(InboxEvent(cursor=cursor_of(mail.position), unread=mail.unread, entry=entry))

    def begin(self, mail: Mail) -> None:
        self.tell(InboxEvent(cursor=cursor_of(mail.position), unread=mail.unread))


def _asks(card: ChatCard) -> bool:
    return card.action is not None and card.action is not ActionKind.CHILDREN


def _kinds(before: ChatCard, after: ChatCard) -> Iterator[WatchKind]:
    """What is different, one word for each."""
    if before.archived != after.archived:
        yield WatchKind.ARCHIVED if after.archived else WatchKind.UNARCHIVED
    if before.title != after.title:
        yield WatchKind.TITLE_CHANGE
    if any(getattr(before, name) != getattr(after, name) for name in _DESCRIBED):
        yield WatchKind.SUMMARY_CHANGE
    if before.diff != after.diff:
        yield WatchKind.DIFF_STATUS_CHANGE
    if before.context_dirty != after.context_dirty:
        yield WatchKind.CONTEXT_DIRTY
    if _asks(after) and before.action != after.action:
        yield WatchKind.ACTION_REQUIRED
    elif before.status != after.status:
        yield WatchKind.STATUS_CHANGE
    if before.unread != after.unread:
        yield WatchKind.READ_CHANGE
