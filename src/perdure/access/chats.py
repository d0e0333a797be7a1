"""Chats as one actor may see and change them."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from decimal import Decimal
from uuid import UUID

from asyncpg import Record

from perdure.access.actor import Actor
from perdure.access.roles import Permission
from perdure.access.rows import ActorRows
from perdure.core.after import card_after, pending
from perdure.core.card import Card, NewCard
from perdure.core.chat import Chat
from perdure.core.commit import Commit
from perdure.core.cursor import Cursor
from perdure.core.errors import ChatNotFound, NotAllowed
from perdure.core.events import ChatCard, PendingAction, QueuedMessage
from perdure.core.ids import ChatId, MessageNumber, UserId
from perdure.core.message import Message
from perdure.core.public import public_queued
from perdure.machine.diagram import Transitions
from perdure.machine.machine import Bundle, Machine, Request
from perdure.machine.transitions.messages import Target
from perdure.store.cards import card_of
from perdure.store.histories import seen_card
from perdure.store.rows import chat_of, message_of, queued_of


@dataclass(frozen=True, slots=True)
class Seen:
    """A chat as the actor saw it: its execution state, and the row that its card is made of."""

    actor: Actor
    chat: Chat
    row: Record

    @property
    def card(self) -> ChatCard:
        return card_of(self.row, self.chat, reader=self.actor.user_id)

    def card_after(self, commit: Commit) -> ChatCard:
        """The card once this is committed."""
        return card_after(self.card, commit)

    @property
    def turn_card(self) -> Card | None:
        """What a turn needs to know of it, where the row says so."""
        return seen_card(self.row)

    @property
    def metadata_version(self) -> int:
        return self.row["metadata_version"]

    def cursor_after(self, chat: Chat) -> str:
        """Where a stream starts that sends nothing of what this already says."""
        return str(Cursor.of(chat, self.metadata_version))

    @property
    def own(self) -> bool:
        return self.row["owner_id"] == self.actor.user_id


@dataclass(frozen=True, slots=True, kw_only=True)
class Listing:
    """Which chats a list shows, and after which it goes on."""

    archived: bool | None = False
    shared: bool | None = None
    unread: bool | None = None
    labels: str | None = None
    title: str | None = None
    source: str | None = None
    after: tuple[int, Decimal, UUID] | None = None
    limit: int = 50

    def values(self) -> tuple[object, ...]:
        filters = (self.archived, self.shared, self.unread, self.labels, self.title, self.source)
        return (*filters, *(self.after or (None, None, None)), self.limit)


@dataclass(frozen=True, slots=True, kw_only=True)
class Description:
    """What is said about a chat. None leaves it as it is; an empty text clears a model or an effort."""

    title: str | None = None
    labels: str | None = None
    plan_mode: bool | None = None
    model: str | None = None
    effort: str | None = None
    workspace_id: UUID | None = None
    pin: int | None = None
    client_tools: str | None = None
    settings: str | None = None

    def values(self) -> tuple[object, ...]:
        return tuple(getattr(self, name) for name in Description.__dataclass_fields__)

    @property
    def empty(self) -> bool:
        return all(value is None for value in self.values())


class Chats:
    """What of the chats an actor may reach. What they may not see does not exist."""

    def __init__(self, rows: ActorRows, machine: Machine) -> None:
        self._rows = rows
        self._machine = machine

    async def read(self, chat_id: ChatId) -> Seen:
        row = await self._rows.one("chats/read", chat_id)
        if row is None:
            raise ChatNotFound
        return Seen(self._rows.actor, chat_of(row), row)

    async def own(self, chat_id: ChatId) -> Seen:
        """A chat of the actor's own. Those it is shared with read it, and spend nothing on it."""
        seen = await self.read(chat_id)
        if not seen.own:
            raise NotAllowed("This chat is shared with you to read. Only its owner may do this.")
        self._rows.actor.require(Permission.CHAT)
        return seen

    async def create(self, chat_id: ChatId, card: NewCard, transitions: Transitions, request: Request) -> Commit:
        self._rows.actor.require(Permission.CHAT)
        return await self._machine.create(chat_id, card, transitions, request)

    async def advance(self, seen: Seen, bundle: Bundle, request: Request) -> Commit:
        """Follow the arrows that the bundle chooses, in a chat of the actor's own."""
        assert seen.own
        return await self._machine.advance_by(seen.chat, bundle, request=request)

    async def edit(
        self, seen: Seen, number: MessageNumber, bundle: Callable[[Target], Bundle], request: Request
    ) -> Commit:
        assert seen.own
        return await self._machine.edit(seen.chat.id, number, bundle, request)

    async def page(self, listing: "Listing") -> list[Seen]:
        """Root chats that the actor may read: pinned ones first, then the newest."""
        rows = await self._rows.all("chats/list", *listing.values())
        return [Seen(self._rows.actor, chat_of(row), row) for row in rows]

    async def search(self, words: str, *narrowing: object, passed: int, limit: int) -> list[Seen]:
        """Chats that say these words, best first; each row has a snippet."""
        rows = await self._rows.all("chats/search", words, *narrowing, passed, limit)
        return [Seen(self._rows.actor, chat_of(row), row) for row in rows]

    async def related(self, roots: Sequence[ChatId]) -> list[Seen]:
        rows = await self._rows.all("chats/related", list(roots)) if roots else []
        return [Seen(self._rows.actor, chat_of(row), row) for row in rows]

    async def children(self, chat_id: ChatId) -> list[Seen]:
        rows = await self._rows.all("chats/children", chat_id)
        return [Seen(self._rows.actor, chat_of(row), row) for row in rows]

    async def describe(self, seen: Seen, description: "Description") -> int:
        """Change what the owner says about a chat. Returns the card's new version."""
        assert seen.own
        row = await self._rows.one("chats/patch", seen.chat.id, *description.values())
        if row is None:
            raise ChatNotFound
        return row["metadata_version"]

    async def retitle(self, seen: Seen, title: str) -> int | None:
        """Call a chat what a model proposed. The card's new version; None where somebody has renamed it since."""
        assert seen.own
        row = await self._rows.one("chats/retitle", seen.chat.id, title, seen.card.title)
        return None if row is None else row["metadata_version"]

    async def share(self, seen: Seen, users: Sequence[UserId], groups: Sequence[UUID]) -> int:
        """Let exactly these people and groups read the chat. Returns the card's new version."""
        assert seen.own
        row = await self._rows.one("shares/set", seen.chat.id, list(users), list(groups))
        if row is None:
            raise ChatNotFound
        return row["metadata_version"]

    async def shares(self, chat_id: ChatId) -> list[Record]:
        return await self._rows.all("shares/list", chat_id)

    async def compactable(self, chat_id: ChatId) -> bool:
        row = await self._rows.one("chats/compactable", chat_id)
        return row is not None and row["compactable"]

    async def mark_read(self, seen: Seen, number: int) -> bool:
        """Whether the inbox had something to say of it that is read now, too."""
        row = await self._rows.one("chats/mark_read", seen.chat.id, number)
        return row is not None and row["told"] > 0

    async def prompts(self, chat_id: ChatId, limit: int) -> list[Record]:
        return await self._rows.all("messages/prompts", chat_id, limit)

    async def newest(self, chat_id: ChatId, *, before: int | None, after: int | None, limit: int) -> list[Message]:
        """Messages before one number and after another, newest first."""
        return [message_of(row) for row in await self._rows.all("messages/page_before", chat_id, before, after, limit)]

    async def oldest(self, chat_id: ChatId, *, after: int, limit: int) -> list[Message]:
        """Messages after a number, oldest first."""
        return [message_of(row) for row in await self._rows.all("messages/page_after", chat_id, after, limit)]

    async def queue(self, seen: Seen) -> tuple[QueuedMessage, ...]:
        if not seen.chat.queue:
            return ()
        return tuple(public_queued(queued_of(row)) for row in await self._rows.all("queue/list", seen.chat.id))

    async def action(self, seen: Seen) -> PendingAction | None:
        """What the chat asks for, with the arguments of the calls that it asks about."""
        chat = seen.chat
        if chat.action is None:
            return None
        row = await self._rows.one("messages/one", chat.id, chat.last_assistant) if chat.action.calls else None
        return pending(chat, message_of(row).parts if row else ())
