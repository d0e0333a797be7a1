"""A chat's messages in memory: what a turn reads, kept between turns while there is room."""

from bisect import bisect_left, bisect_right
from collections import OrderedDict
from collections.abc import Collection, Iterable

from msgspec import Struct, structs

from perdure.agent.model_view import ModelView
from perdure.core.card import Card
from perdure.core.chat import Chat
from perdure.core.commit import Commit, hides, history_after, settings_after
from perdure.core.ids import ChatId, MessageNumber
from perdure.core.message import Kind, Message, Role, ToolCall, Visibility
from perdure.core.timing import HISTORY_KEPT, Clock, SystemClock
from perdure.providers.prompt import Settled
from perdure.store.histories import load_history
from perdure.store.pool import Pool

# What a history takes besides its messages.
CHAT_BYTES = 1_500


class History(Struct, frozen=True):
    """The messages of a chat's prompt and its card, as of a history version."""

    card: Card
    version: int
    messages: tuple[Message, ...]
    """By number."""
    view: ModelView
    settled: Settled
    """The beginning of the prompt as it was encoded last. Whatever the history becomes, it is found out if it fits."""

    @classmethod
    def of(cls, card: Card, version: int, messages: Iterable[Message]) -> "History":
        every = tuple(messages)
        return cls(card, version, every, ModelView().after(every), Settled())

    @property
    def boundary(self) -> Message | None:
        return self.view.boundary

    @property
    def system(self) -> tuple[Message, ...]:
        return self.view.system

    def prompt(self) -> tuple[Message, ...]:
        """What a model is told: the newest summary, then everything that it does not cover."""
        return self.view.prompt

    @property
    def last(self) -> Message | None:
        """The newest message of the conversation itself: no summaries, hooks or notices."""
        return next((m for m in reversed(self.messages) if m.kind is Kind.ORDINARY), None)

    def message(self, number: int) -> Message | None:
        at = bisect_left(self.messages, number, key=_number)
        found = self.messages[at] if at < len(self.messages) else None
        return found if found is not None and found.number == number else None

    def since(self, number: int) -> tuple[Message, ...]:
        return self.messages[bisect_right(self.messages, number, key=_number) :]

    def steps(self, turn: int) -> int:
        """Model answers since the message that began the turn."""
        return sum(1 for m in self.since(turn) if m.role is Role.ASSISTANT and m.kind is Kind.ORDINARY)

    def prodded(self, turn: int) -> bool:
        """Whether a hook has put off the end of this turn."""
        last: Role | None = None
        for message in self.since(turn):
            if message.kind is Kind.HOOK and message.visibility is Visibility.MODEL and last is Role.ASSISTANT:
                return True
            if message.kind is Kind.ORDINARY:
                last = message.role
        return False

    @property
    def put_off(self) -> bool:
        """Whether a hook has just put off the end: the model is asked once more."""
        last = self.last
        return last is not None and any(
            message.kind is Kind.HOOK and message.visibility is Visibility.MODEL for message in self.since(last.number)
        )

    def calls(self, number: int) -> tuple[ToolCall, ...]:
        """The calls of a message that are ours or the client's to answer, in order."""
        message = self.message(number)
        parts = message.parts if message else ()
        return tuple(part for part in parts if isinstance(part, ToolCall) and not part.provider_executed)

    def with_messages(self, messages: Iterable[Message], version: int) -> "History":
        """The history with these messages, new ones or others for some that it has."""
        more = tuple(messages)
        if not more:
            return structs.replace(self, version=version)
        if self.messages and more[0].number <= self.messages[-1].number:
            return self._rewritten(more, version)
        return structs.replace(
            self, version=version, messages=(*self.messages, *more), view=self.view.after(more, self.messages)
        )

    def without(self, numbers: Collection[MessageNumber]) -> "History":
        """The history after an edit that hid some of its messages."""
        if not numbers:
            return self
        kept = tuple(message for message in self.messages if message.number not in numbers)
        return structs.replace(self, messages=kept, view=ModelView().after(kept))

    def after(self, commit: Commit) -> "History | None":
        """The history once this is committed; None where only the database knows it."""
        known = commit.base is not None and commit.base.history_version == self.version
        if not known or len(commit.promoted_messages) != len(commit.promoted):
            return None
        if commit.chat.asked_by not in (None, self.card.asked_by, self.card.owner_id):
            # Whether they may still write here, only the database knows.
            return None
        after = structs.replace(self, card=settings_after(self.card, commit))
        version = commit.chat.history_version
        if commit.hidden_from is None:
            return after.with_messages(commit.messages, version)
        if self.boundary is not None and hides(commit, self.boundary):
            # What the summary stood for may never have been read, and is told again now that the summary is gone.
            return None
        messages = history_after(self.messages, commit)
        return structs.replace(after, version=version, messages=messages, view=ModelView().after(messages))

    def _rewritten(self, messages: tuple[Message, ...], version: int) -> "History":
        every = {message.number: message for message in (*self.messages, *messages)}
        ordered = tuple(every[number] for number in sorted(every))
        return structs.replace(self, version=version, messages=ordered, view=ModelView().after(ordered))

    @property
    def size(self) -> int:
        """Bytes, roughly."""
        return CHAT_BYTES + self.view.size + self.settled.size


def _number(message: Message) -> int:
    return message.number


# A replica keeps this much of recent chats, for a minute each: a busy one need not be read again.
KEPT_BYTES = 16 * 1024 * 1024


class Histories:
    """Recent histories, least recently used out first. Keyed by version: a stale one is brought up to date."""

    def __init__(self, pool: Pool, *, room: int = KEPT_BYTES, clock: Clock | None = None) -> None:
        self._pool = pool
        self._room = room
        self._clock = clock or SystemClock()
        self._used = 0
        self._kept = OrderedDict[ChatId, tuple[History, int]]()
        self._looked_at: dict[ChatId, float] = {}

    async def at(self, chat: Chat) -> History:
        """The history as of this row, with a fresh card. Reads only what is news."""
        known = self._known(chat.id)
        if known is not None and known.version > chat.history_version:
            known = None
        since = known.version if known else 0
        news = await load_history(self._pool, chat.id, since=since)
        if known is not None and known.boundary is not None and known.boundary.number in news.hidden:
            # What the summary stood for may never have been read, and is told again now that the summary is gone.
            known, news = None, await load_history(self._pool, chat.id)
        if known is None:
            return History.of(news.card, chat.history_version, news.messages)
        kept = structs.replace(known, card=news.card).without(news.hidden)
        return kept.with_messages(news.messages, chat.history_version)

    def at_hand(self, chat: Chat) -> History | None:
        """The history as of this row without reading anything, if it is here. Its card may be a moment old."""
        known = self._known(chat.id)
        return known if known is not None and known.version == chat.history_version else None

    def after(self, commit: Commit, card: Card) -> History | None:
        """The history after a change of this process, without reading anything, if what was before is here."""
        base = commit.base
        known = None if base is None else self.at_hand(base)
        return None if known is None else structs.replace(known, card=card).after(commit)

    def keep(self, history: History) -> None:
        """Have a history at hand for the chat's next turn."""
        size = history.size
        newest = self._known(history.card.id)
        if size > self._room // 8 or (newest is not None and newest.version > history.version):
            return
        self._drop(history.card.id)
        self._kept[history.card.id] = history, size
        self._looked_at[history.card.id] = self._clock.monotonic()
        self._used += size
        while self._used > self._room:
            self._drop(next(iter(self._kept)))

    def tidy(self) -> None:
        """Drop those that nobody has looked at for a while: a chat at rest costs nothing."""
        before = self._clock.monotonic() - HISTORY_KEPT.total_seconds()
        while self._kept and self._looked_at[oldest := next(iter(self._kept))] < before:
            self._drop(oldest)

    def clear(self) -> None:
        """Keep nothing: the database may have another past now, with the same versions."""
        for chat_id in tuple(self._kept):
            self._drop(chat_id)

    def _known(self, chat_id: ChatId) -> History | None:
        """What is at hand. It stays: whoever reads it beside the next turn must not make that one read everything."""
        found = self._kept.get(chat_id)
        if found is None:
            return None
        self._kept.move_to_end(chat_id)
        self._looked_at[chat_id] = self._clock.monotonic()
        return found[0]

    def _drop(self, chat_id: ChatId) -> None:
        found = self._kept.pop(chat_id, None)
        if found is not None:
            del self._looked_at[chat_id]
            self._used -= found[1]


def newest_user_message(history: History) -> Message | None:
    return next((m for m in reversed(history.messages) if m.role is Role.USER and m.kind is Kind.ORDINARY), None)


def last_number(history: History) -> MessageNumber:
    return history.messages[-1].number if history.messages else MessageNumber(0)
