"""Chats as one actor may see and change them."""

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from decimal import Decimal
from functools import cached_property
from typing import Self, TypeVar
from uuid import UUID

from msgspec import Struct

from perdure.access.actor import Actor, ActorRows, Permission, record
from perdure.access.known_chats import KnownChats
from perdure.access.roles import ShareRole
from perdure.core.card import Card, NewCard
from perdure.core.chat import Chat
from perdure.core.commit import Commit, Sight, card_after, pending
from perdure.core.cursor import Cursor
from perdure.core.errors import ChatNotFound, InvalidInput, NotAllowed, Validation
from perdure.core.events import ChatCard, PendingAction, QueuedMessage
from perdure.core.ids import ChatId, MessageNumber, UserId
from perdure.core.message import Message
from perdure.core.public import public_queued
from perdure.machine.committer import Outdated
from perdure.machine.following import Transitions
from perdure.machine.machine import Bundle, Machine, Request
from perdure.machine.transitions import Target
from perdure.store.cards import card_of
from perdure.store.histories import seen_card
from perdure.store.tables import chats, messages, shares, users
from perdure.store.tables.cards import CardRow
from perdure.store.tables.chats import Description, FoundChat, Listing, Searching, SeenChat
from perdure.store.tables.messages import Prompt
from perdure.store.tables.shares import Share

Id = TypeVar("Id")
_WRITES = (ShareRole.WRITE, ShareRole.APPROVE)


class Match(Struct, frozen=True):
    """A message that says what was searched for: in the chat itself, or in one of its agents."""

    chat_id: ChatId
    number: MessageNumber


@dataclass(frozen=True)
class Seen:
    """A chat as the actor saw it: its execution state, and the row that its card is made of."""

    actor: Actor
    chat: Chat
    row: CardRow
    read_number: int
    line: int
    """The line of the database's history that it was last changed on."""
    age: Decimal | None = None
    """When it moved last, in a list."""
    snippet: str | None = None
    """Where a search found it."""
    match: Match | None = None
    """The message that a search found."""
    granted: ShareRole | None = None
    """What the actor may do in a chat of somebody else, where that was looked up."""
    looked_after: bool = False
    """Whether its owner was removed, and the actor may act for them."""
    sight: Sight | None = None
    """What is taken for granted, where it was not read just now."""

    @classmethod
    def of(cls, actor: Actor, found: SeenChat) -> Self:
        return cls(actor, found.chat, found.card, found.read_number, found.line)

    @cached_property
    def card(self) -> ChatCard:
        return card_of(self.row, self.chat, reader=self.actor.user_id, read_number=self.read_number)

    def card_after(self, commit: Commit) -> ChatCard:
        """The card once this is committed."""
        return card_after(self.card, commit)

    @property
    def turn_card(self) -> Card | None:
        """What a turn needs to know of it, where the row says so."""
        return seen_card(self.row, self.chat.asked_by)

    @property
    def metadata_version(self) -> int:
        return self.row.metadata_version

    def cursor_after(self, chat: Chat) -> str:
        """Where a stream starts that sends nothing of what this already says."""
        return str(Cursor.of(chat, self.metadata_version, line=self.line))

    @property
    def own(self) -> bool:
        return self.row.owner_id == self.actor.user_id

    @property
    def approves(self) -> bool:
        """Whether the actor may decide about calls, whoever asked for them."""
        return self.own or self.granted is ShareRole.APPROVE

    @property
    def asked(self) -> bool:
        """Whether the turn works for the actor."""
        return self.chat.asked_by == self.actor.user_id


class Chats:
    """What of the chats an actor may reach. What they may not see does not exist."""

    def __init__(self, rows: ActorRows, machine: Machine, known: KnownChats | None = None) -> None:
        self._rows = rows
        self._machine = machine
        self._known = known or KnownChats()

    async def read(self, chat_id: ChatId) -> Seen:
        found = await chats.read(self._rows, chat_id)
        if found is None:
            raise ChatNotFound
        return Seen.of(self._rows.actor, found)

    async def own(self, chat_id: ChatId) -> Seen:
        """A chat of the actor's own. Those it is shared with read it, and spend nothing on it."""
        seen = await self.read(chat_id)
        if not seen.own:
            raise NotAllowed("This chat is shared with you as read-only. Only its owner can do this.")
        self._rows.actor.require(Permission.CHAT)
        return seen

    async def shared(self, chat_id: ChatId, role: ShareRole = ShareRole.WRITE) -> Seen:
        """A chat of the actor's own, or one that is shared with them for this at least."""
        return await self._shared(await self.read(chat_id), role)

    async def _shared(self, seen: Seen, role: ShareRole) -> Seen:
        if not seen.own:
            granted = await self.role(seen.chat.id)
            if granted is None or not granted.covers(role):
                raise NotAllowed(
                    f"This chat is shared with you to {granted or ShareRole.READ}. Ask its owner for more."
                )
            seen = replace(seen, granted=granted)
        self._rows.actor.require(Permission.CHAT)
        return seen

    async def to_write_in(self, chat_id: ChatId) -> Seen:
        """A chat that the actor may write in, and will: an own one is known the next time."""
        found = await chats.read(self._rows, chat_id)
        if found is None:
            raise ChatNotFound
        seen = await self._shared(Seen.of(self._rows.actor, found), ShareRole.WRITE)
        if seen.own:
            self._known.keep(found)
        return seen

    def known(self, chat_id: ChatId) -> Seen | None:
        """An own chat that rests, as it was when it was last heard of: a change of it may find it `Outdated`."""
        found = self._known.at_rest(chat_id, self._rows.actor)
        if found is None:
            return None
        self._rows.actor.require(Permission.CHAT)
        sight = Sight(found.card.metadata_version, self._rows.actor.user_id, found.read_number)
        return replace(Seen.of(self._rows.actor, found), sight=sight)

    async def role(self, chat_id: ChatId) -> ShareRole | None:
        """What the actor may do in a chat of somebody else."""
        role = await shares.role(self._rows, chat_id)
        return None if role is None else ShareRole(role)

    async def stoppable(self, chat_id: ChatId) -> Seen:
        """A chat that the actor may write in, or of somebody who was removed where the actor manages people."""
        seen = await self.read(chat_id)
        if seen.own or not await self._owner_removed(seen):
            return await self._shared(seen, ShareRole.WRITE)
        await record(self._rows, "chat.stop", chat_id, owner=seen.row.owner_id)
        return replace(seen, looked_after=True)

    async def _owner_removed(self, seen: Seen) -> bool:
        if Permission.PEOPLE not in self._rows.actor.permissions:
            return False
        owner = await users.one(self._rows.organisation(Permission.PEOPLE), seen.row.owner_id)
        return owner is not None and owner.disabled

    async def create(self, chat_id: ChatId, card: NewCard, transitions: Transitions, request: Request) -> Commit:
        self._rows.actor.require(Permission.CHAT)
        return await self._machine.create(chat_id, card, transitions, request)

    async def advance(self, seen: Seen, bundle: Bundle, request: Request) -> Commit:
        """Follow the arrows that the bundle chooses, in a chat that the actor may write in or looks after."""
        assert seen.own or seen.looked_after or seen.granted in _WRITES
        if seen.sight is None:
            return await self._machine.advance_by(seen.chat, bundle, request=request)
        try:
            commit = await self._machine.advance_by(seen.chat, bundle, request=replace(request, sight=seen.sight))
            if commit.empty:
                # Only the row itself may say that nothing is to be done.
                raise Outdated
            return commit
        except Outdated:
            self._known.forget(seen.chat.id)
            raise

    async def edit(
        self, seen: Seen, number: MessageNumber, bundle: Callable[[Target], Bundle], request: Request
    ) -> Commit:
        assert seen.own or seen.granted in _WRITES
        return await self._machine.edit(seen.chat.id, number, bundle, request)

    async def page(self, listing: Listing) -> list[Seen]:
        """Root chats that the actor may read: pinned ones first, then the newest."""
        actor = self._rows.actor
        found = await chats.page(self._rows, listing)
        return [Seen(actor, each.chat, each.card, each.read_number, each.line, age=each.age) for each in found]

    async def search(self, searching: Searching) -> list[Seen]:
        """Chats that say these words, best first; each with a snippet."""
        actor = self._rows.actor
        return [_found(actor, each) for each in await chats.search(self._rows, searching)]

    async def related(self, roots: Sequence[ChatId]) -> list[Seen]:
        found = await chats.related(self._rows, roots) if roots else []
        return [Seen.of(self._rows.actor, each) for each in found]

    async def children(self, chat_id: ChatId) -> list[Seen]:
        return [Seen.of(self._rows.actor, each) for each in await chats.children(self._rows, chat_id)]

    async def describe(self, seen: Seen, description: Description) -> int:
        """Change what the owner says about a chat. Returns the card's new version."""
        assert seen.own
        version = await chats.patch(self._rows, seen.chat.id, description)
        if version is None:
            raise ChatNotFound
        return version

    async def retitle(self, seen: Seen, title: str) -> int | None:
        """Call a chat what a model proposed. The card's new version; None where somebody has renamed it since."""
        assert seen.own
        return await chats.retitle(self._rows, seen.chat.id, title, seen.card.title)

    async def share(self, seen: Seen, users: Mapping[UserId, ShareRole], groups: Mapping[UUID, ShareRole]) -> int:
        """Share the chat with exactly these people and groups. Returns the card's new version."""
        assert seen.own
        if unknown := await shares.unknown(self._rows, tuple(users), tuple(groups)):
            raise InvalidInput(
                "The list names an unknown user or group.", *_places(unknown, users=tuple(users), groups=tuple(groups))
            )
        version = await shares.replace(self._rows, seen.chat.id, *_listed(users), *_listed(groups))
        if version is None:
            raise ChatNotFound
        return version

    async def shares(self, chat_id: ChatId) -> list[Share]:
        return await shares.listed(self._rows, chat_id)

    async def compactable(self, chat_id: ChatId, *, again: bool = False) -> bool:
        """Whether there is something to summarise; `again`: be it a summary."""
        return await chats.compactable(self._rows, chat_id, again) or False

    async def mark_read(self, seen: Seen, number: int) -> bool:
        """Whether the inbox had something to say of it that is read now, too."""
        return await chats.mark_read(self._rows, seen.chat.id, number) > 0

    async def prompts(self, chat_id: ChatId, limit: int) -> list[Prompt]:
        return await messages.prompts(self._rows, chat_id, limit)

    async def matching(self, chat_id: ChatId, text: str, limit: int) -> list[MessageNumber]:
        """The messages that say this text, oldest first; letters of either case, any blanks for a blank."""
        if not text.split():
            return []
        word = max(re.findall(r"[^\W_]+", text), key=len, default="")
        pattern = r"\s+".join(re.escape(piece) for piece in text.split())
        return await messages.matching(self._rows, chat_id, word, pattern, limit)

    async def newest(self, chat_id: ChatId, *, before: int | None, after: int | None, limit: int) -> list[Message]:
        """Messages before one number and after another, newest first."""
        return await messages.page_before(self._rows, chat_id, before, after, limit)

    async def oldest(self, chat_id: ChatId, *, after: int, limit: int) -> list[Message]:
        """Messages after a number, oldest first."""
        return await messages.page_after(self._rows, chat_id, after, limit)

    async def queue(self, seen: Seen) -> tuple[QueuedMessage, ...]:
        if not seen.chat.queue:
            return ()
        return tuple(public_queued(each) for each in await messages.queued(self._rows, seen.chat.id))

    async def action(self, seen: Seen) -> PendingAction | None:
        """What the chat asks for, with the arguments of the calls that it asks about."""
        chat = seen.chat
        if chat.action is None:
            return None
        message = await messages.one(self._rows, chat.id, chat.last_assistant) if chat.action.calls else None
        return pending(chat, message.parts if message else ())


def _listed(roles: Mapping[Id, ShareRole]) -> tuple[list[Id], list[str]]:
    return list(roles), [role.value for role in roles.values()]


def _found(actor: Actor, found: FoundChat) -> Seen:
    match = None
    if found.found_in is not None and found.found_at is not None:
        match = Match(found.found_in, MessageNumber(found.found_at))
    return Seen(actor, found.chat, found.card, found.read_number, found.line, snippet=found.snippet, match=match)


def _places(unknown: Sequence[UUID], **asked: Sequence[UUID]) -> list[Validation]:
    return [
        Validation(f"{field}[{index}]", "is not known here")
        for field, ids in asked.items()
        for index, each in enumerate(ids)
        if each in unknown
    ]
