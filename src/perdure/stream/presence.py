"""Who follows a chat, on whichever replica, and who is typing. Of a chat that one person follows nothing is told."""

from collections import Counter
from collections.abc import Callable, Generator, Mapping
from contextlib import contextmanager
from uuid import uuid4

from perdure.core.author import Author
from perdure.core.events import PresentPerson
from perdure.core.ids import ChatId, UserId
from perdure.core.notice import Notice, Topic
from perdure.core.presence import MOST_TOLD, Sign, read, written
from perdure.core.tasks import every
from perdure.core.timing import PRESENCE_BEAT, PRESENCE_KEPT, PRESENCE_LOOK, TYPING_KEPT, Clock
from perdure.store.pubsub import Pubsub

OnChange = Callable[[ChatId, tuple[PresentPerson, ...]], None]


class _Room:
    """What this replica knows of who is in one chat."""

    def __init__(self) -> None:
        self.here = Counter[UserId]()
        """Streams of each person on this replica."""
        self.names: dict[UserId, str] = {}
        self.elsewhere: dict[str, tuple[tuple[Author, ...], float]] = {}
        """By replica: who is there, and until when that is believed."""
        self.typing: dict[UserId, float] = {}
        self.guests = False
        """Whether somebody follows it whose chat it is not: then others are told of those who are here."""
        self.told: tuple[PresentPerson, ...] = ()

    @property
    def lively(self) -> bool:
        return bool(self.guests or self.elsewhere or self.typing or self.told)

    def everybody(self) -> Mapping[UserId, str]:
        others = {person.id: person.name for people, _ in self.elsewhere.values() for person in people}
        return {**others, **{user: self.names[user] for user in self.here}}

    def shown(self, now: float) -> tuple[PresentPerson, ...]:
        """Everybody, by name; nobody where it is one person alone."""
        people = self.everybody()
        if len(people) < 2:
            return ()
        present = [
            PresentPerson(id=user, name=name, typing=self.typing.get(user, 0) > now) for user, name in people.items()
        ]
        return tuple(sorted(present, key=lambda person: (person.name, person.id)))


class Presence:
    """Counts the streams of people here, hears of those elsewhere, and tells the followers of a chat."""

    def __init__(self, pubsub: Pubsub, tell: OnChange, clock: Clock) -> None:
        self._pubsub = pubsub
        self._tell = tell
        self._clock = clock
        self._name = uuid4().hex[:12]
        self._rooms: dict[ChatId, _Room] = {}
        self._lively = set[ChatId]()
        """Rooms in which something runs out or is said again. A person alone in their chat is looked at by nobody."""
        self._beat_at = 0.0

    @contextmanager
    def here(self, chat_id: ChatId, person: Author, *, own: bool) -> Generator[None]:
        """Somebody follows the chat for the length of the block."""
        room = self._rooms.setdefault(chat_id, _Room())
        fresh = person.id not in room.here
        room.here[person.id] += 1
        room.names[person.id] = person.name
        asks = not own and not room.guests
        room.guests = room.guests or not own
        if fresh or asks:
            self._said(chat_id, room, asks=asks)
        try:
            yield
        finally:
            room.here[person.id] -= 1
            if not room.here[person.id]:
                del room.here[person.id], room.names[person.id]
                self._said(chat_id, room)
            if not room.here and self._rooms.get(chat_id) is room:
                del self._rooms[chat_id]

    def listen(self) -> Callable[[], None]:
        return self._pubsub.listen(self._heard)

    async def run(self) -> None:
        await every(PRESENCE_LOOK, self.look, self._clock)

    async def look(self) -> None:
        """Say again who is here, and forget what was not said again."""
        now = self._clock.monotonic()
        beats = now - self._beat_at >= PRESENCE_BEAT.total_seconds()
        if beats:
            self._beat_at = now
        for chat_id in tuple(self._lively):
            room = self._rooms.get(chat_id)
            if room is None or not room.lively:
                self._lively.discard(chat_id)
                continue
            room.elsewhere = {name: told for name, told in room.elsewhere.items() if told[1] > now}
            room.typing = {user: until for user, until in room.typing.items() if until > now}
            if beats and (room.guests or room.elsewhere):
                self._publish(chat_id, room)
            self._show(chat_id, room)

    def _said(self, chat_id: ChatId, room: _Room, *, asks: bool = False) -> None:
        if room.guests or room.elsewhere:
            self._publish(chat_id, room, asks=asks)
        self._show(chat_id, room)

    def _publish(self, chat_id: ChatId, room: _Room, *, asks: bool = False) -> None:
        people = tuple(Author(user, room.names[user]) for user in tuple(room.here)[:MOST_TOLD])
        sign = Sign(self._name, people, asks)
        self._pubsub.publish([Notice(Topic.PRESENCE, chat_id, name=written(sign))])

    def _heard(self, notice: Notice) -> None:
        if notice.topic is not Topic.PRESENCE or notice.chat_id is None:
            return
        room, sign = self._rooms.get(notice.chat_id), read(notice.name)
        if room is None or sign is None:
            return
        now = self._clock.monotonic()
        if sign.typist is not None:
            room.typing[sign.typist.id] = now + TYPING_KEPT.total_seconds() if sign.typing else 0
        if sign.people is not None and sign.replica != self._name:
            if sign.people:
                room.elsewhere[sign.replica] = sign.people, now + PRESENCE_KEPT.total_seconds()
            else:
                room.elsewhere.pop(sign.replica, None)
            if sign.asks:
                self._publish(notice.chat_id, room)
        self._show(notice.chat_id, room)

    def _show(self, chat_id: ChatId, room: _Room) -> None:
        shown = room.shown(self._clock.monotonic())
        if shown != room.told:
            room.told = shown
            self._tell(chat_id, shown)
        if room.lively:
            self._lively.add(chat_id)
