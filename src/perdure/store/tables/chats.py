"""Chats with their cards, as people see them and as replicas look for work."""

from collections.abc import Sequence
from datetime import datetime, timedelta
from decimal import Decimal
from uuid import UUID

from msgspec import Struct

from perdure.core.chat import Chat, Status
from perdure.core.ids import ChatId, OrganisationId, QueuedNumber, ReplicaId, UserId
from perdure.store.query import query
from perdure.store.scopes import Database, OrganisationScope, PersonScope
from perdure.store.tables.cards import CardRow


class SeenChat(Struct, frozen=True):
    """A chat as somebody sees it."""

    chat: Chat
    card: CardRow
    read_number: int
    """Up to which message they have read it."""
    line: int
    """The line of the database's history that it was last changed on."""


class ListedChat(SeenChat, frozen=True):
    """A chat in a list, and when it moved last."""

    age: Decimal


class FoundChat(SeenChat, frozen=True):
    """A chat that a search found, and where."""

    snippet: str
    found_in: ChatId | None
    """The chat itself or an agent of it; None where only the title was found."""
    found_at: int | None


class Listing(Struct, frozen=True, kw_only=True):
    """Which chats a list shows, and after which it goes on."""

    archived: bool | None = False
    shared: bool | None = None
    unread: bool | None = None
    labels: str | None = None
    title: str | None = None
    source: str | None = None
    after_pin: int | None = None
    after_age: Decimal | None = None
    after_id: UUID | None = None
    limit: int = 50


class Searching(Struct, frozen=True, kw_only=True):
    """Which chats a search finds, after so many that were passed over."""

    words: str
    archived: bool | None = None
    shared: bool | None = None
    unread: bool | None = None
    labels: str | None = None
    title: str | None = None
    source: str | None = None
    repository: str | None = None
    pull_request: str | None = None
    passed: int = 0
    limit: int = 50


NO_WORKSPACE = UUID(int=0)


class Description(Struct, frozen=True, kw_only=True):
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

    @property
    def empty(self) -> bool:
        return self == Description()


class Readable(Struct, frozen=True):
    """Somebody, and a chat that they may read."""

    user_id: UserId
    chat_id: ChatId


class Versions(Struct, frozen=True):
    id: ChatId
    snapshot_version: int
    metadata_version: int
    line: int


class Past(Struct, frozen=True):
    """Where a chat stands, and where it stood when the database failed over."""

    id: ChatId
    snapshot_version: int
    line: int
    earlier_lines: tuple[int, ...]
    last_snapshots: tuple[int, ...]


class AcquirableChat(Struct, frozen=True):
    """A chat that needs a driver."""

    id: ChatId
    worker_id: ReplicaId | None
    status: str
    owner_id: UserId
    waited: timedelta
    orphaned: timedelta


class DueChat(Struct, frozen=True):
    """A parked chat whose deadline has passed."""

    id: ChatId
    action_deadline_at: datetime


class Excluded(Struct, frozen=True):
    """A chat at work for somebody who may not write there any more."""

    chat_id: ChatId
    asked_by: UserId | None
    answered: bool | None
    """Whether it is their message that is being answered."""
    waiting: tuple[QueuedNumber, ...]
    """Their messages that wait."""


class ChatOfPerson(Struct, frozen=True):
    """What somebody who looks after an organisation is told of another person's chat."""

    id: ChatId
    title: str
    status: Status
    updated_at: datetime


class IdleRoot(Struct, frozen=True):
    """A root chat that nobody has used for long."""

    id: ChatId
    owner_id: UserId
    title: str


@query
async def beginning_alike(scope: PersonScope, digest: str, limit: int) -> list[ChatId]: ...


@query
async def page(scope: PersonScope, listing: Listing) -> list[ListedChat]: ...


@query
async def read(scope: PersonScope, chat_id: ChatId) -> SeenChat | None: ...


@query
async def search(scope: PersonScope, searching: Searching) -> list[FoundChat]: ...


@query
async def related(scope: PersonScope, roots: Sequence[ChatId]) -> list[SeenChat]: ...


@query
async def children(scope: PersonScope, chat_id: ChatId) -> list[SeenChat]: ...


@query
async def patch(scope: PersonScope, chat_id: ChatId, description: Description) -> int | None: ...


@query
async def mark_read(scope: PersonScope, chat_id: ChatId, number: int) -> int: ...


@query
async def compactable(scope: PersonScope, chat_id: ChatId, again: bool) -> bool | None: ...


@query
async def delete(scope: PersonScope, chat_id: ChatId) -> list[ChatId]: ...


@query
async def readable(db: Database, users: Sequence[UserId], chats: Sequence[ChatId]) -> list[Readable]: ...


@query
async def versions(db: Database, chats: Sequence[ChatId]) -> list[Versions]: ...


@query
async def pasts(db: Database, chats: Sequence[ChatId]) -> list[Past]: ...


@query
async def acquirable(db: Database, lease: timedelta, limit: int) -> list[AcquirableChat]: ...


@query
async def due(db: Database, limit: int) -> list[DueChat]: ...


@query
async def forget_archived(
    db: Database, organisation_id: OrganisationId, kept: timedelta, limit: int
) -> list[ChatId]: ...


@query
async def of_removed_at_work(db: Database, limit: int) -> list[ChatId]: ...


@query
async def of_excluded_at_work(db: Database, limit: int) -> list[Excluded]: ...


@query
async def of_person(scope: OrganisationScope, user_id: UserId, limit: int) -> list[ChatOfPerson]: ...


@query
async def idle_roots(db: Database, organisation_id: OrganisationId, idle: timedelta, limit: int) -> list[IdleRoot]: ...


@query
async def retitle(scope: PersonScope, chat_id: ChatId, title: str, known: str) -> int | None: ...
