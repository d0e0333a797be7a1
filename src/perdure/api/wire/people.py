"""People on the wire."""

from datetime import date, datetime
from typing import Annotated, Any
from uuid import UUID

from msgspec import UNSET, Meta, Struct, UnsetType

from perdure.access.actor import Role, Scope
from perdure.access.roles import ShareRole
from perdure.api.wire.content import END, LINE, NAME, Named
from perdure.core.chat import Status
from perdure.core.ids import ChatId, OrganisationId, UserId

Email = Annotated[str, Meta(max_length=254, pattern=r"^[^@\s\u0000-\u001f]+@[^@\s\u0000-\u001f]+" + END)]
Password = Annotated[str, Meta(max_length=1_024)]
PersonName = Annotated[str, Meta(max_length=200, pattern=LINE)]


class LoginBody(Struct, frozen=True, forbid_unknown_fields=True):
    email: Email
    password: Password


class LinkQuery(Struct, frozen=True, forbid_unknown_fields=True):
    token: Annotated[str, Meta(max_length=200)]


class LoginService(Struct, frozen=True):
    """A service that people can sign in with."""

    slug: str
    name: str
    url: str


class LoginMethods(Struct, frozen=True):
    password: bool
    oidc: tuple[LoginService, ...]
    first_run: bool
    """Nobody can sign in without a link yet: the server's start printed one."""


class Me(Struct, frozen=True, kw_only=True):
    id: UserId
    email: str
    name: str
    role: Role
    organisation_id: OrganisationId
    csrf_token: str
    """To be sent as X-CSRF-Token with every change. Empty for callers that use a token."""
    preferences: dict[str, Any]


class MeBody(Named, frozen=True, kw_only=True, forbid_unknown_fields=True, omit_defaults=True):
    name: PersonName | UnsetType = UNSET
    preferences: dict[str, Any] | UnsetType = UNSET
    password: Password | UnsetType = UNSET
    old_password: Password | None = None
    """Needed for a new one, unless you signed in within the last ten minutes."""


class User(Struct, frozen=True, kw_only=True):
    id: UserId
    email: str
    name: str
    role: Role
    disabled: bool
    created_at: datetime


class Users(Struct, frozen=True):
    items: tuple[User, ...]


class ChatOfPerson(Struct, frozen=True):
    """A chat of somebody who was removed."""

    id: ChatId
    title: str
    status: Status
    updated_at: datetime


class ChatsOfPerson(Struct, frozen=True):
    items: tuple[ChatOfPerson, ...]


class UserBody(Named, frozen=True, kw_only=True, forbid_unknown_fields=True, omit_defaults=True):
    email: Email
    name: PersonName = ""
    role: Role = Role.MEMBER
    password: Password | None = None


class UserPatch(Named, frozen=True, kw_only=True, forbid_unknown_fields=True, omit_defaults=True):
    name: PersonName | None = None
    role: Role | None = None
    disabled: bool | None = None
    password: Password | None = None


GroupName = Annotated[str, Meta(min_length=1, max_length=100, pattern=NAME)]
Members = Annotated[tuple[UserId, ...], Meta(max_length=1_000)]


class Group(Struct, frozen=True, kw_only=True):
    id: UUID
    name: str
    members: tuple[UserId, ...]
    created_at: datetime


class Groups(Struct, frozen=True):
    items: tuple[Group, ...]


class GroupBody(Named, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    name: GroupName
    members: Members = ()


class GroupPatch(Named, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    name: GroupName | None = None
    members: Members | None = None


class Token(Struct, frozen=True, kw_only=True, omit_defaults=True):
    id: UUID
    name: str
    hint: str
    """The last characters of the secret."""
    scopes: tuple[Scope, ...]
    created_at: datetime
    expires_at: datetime | None = None
    used_at: datetime | None = None


class NewToken(Token, frozen=True, kw_only=True, omit_defaults=True):
    """A token as its maker sees it, once."""

    secret: str


class Tokens(Struct, frozen=True):
    items: tuple[Token, ...]


class TokenBody(Named, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    name: GroupName
    scopes: Annotated[tuple[Scope, ...], Meta(min_length=1, max_length=3)] = (Scope.CHAT,)
    expires_in_days: Annotated[int, Meta(ge=1, le=3_650)] | None = None


class CodeBody(Struct, frozen=True, forbid_unknown_fields=True):
    """What a program sent the person with who lets it in."""

    client_id: Annotated[str, Meta(min_length=1, max_length=16_384)]
    redirect_uri: Annotated[str, Meta(min_length=1, max_length=1_000)]
    code_challenge: Annotated[str, Meta(min_length=43, max_length=43)]


class ProgramCode(Struct, frozen=True):
    """What the program exchanges for its token, and who issued it."""

    code: str
    issuer: str


class Session(Struct, frozen=True, kw_only=True):
    id: UUID
    address: str
    user_agent: str
    created_at: datetime
    expires_at: datetime
    current: bool


class Sessions(Struct, frozen=True):
    items: tuple[Session, ...]


class Acl(Struct, frozen=True, forbid_unknown_fields=True):
    """With whom a chat is shared."""

    users: Members = ()
    groups: Annotated[tuple[UUID, ...], Meta(max_length=1_000)] = ()
    roles: Annotated[dict[UUID, ShareRole], Meta(max_length=2_000)] | UnsetType = UNSET
    """What they may do, by their ids. Whoever is not named reads."""


class LinkBody(Struct, frozen=True, forbid_unknown_fields=True):
    role: ShareRole = ShareRole.READ
    """What those may do who open it."""


class TypingBody(Struct, frozen=True, forbid_unknown_fields=True):
    typing: bool = True


class PersonOfChat(Struct, frozen=True, kw_only=True):
    """Somebody in a chat: its owner, or somebody it is shared with."""

    id: UserId
    name: str
    email: str
    role: str
    """`owner`, `approve`, `write` or `read`."""


class PeopleOfChat(Struct, frozen=True):
    items: tuple[PersonOfChat, ...]


class ShareLink(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """How a chat is shared by a link; without an id, not at all."""

    id: UUID | None = None
    """What the address of the page ends with: `/shared/{id}`."""
    role: ShareRole | None = None
    created_at: datetime | None = None


class LinkedChat(Struct, frozen=True):
    chat_id: ChatId


class AuditEntry(Struct, frozen=True, kw_only=True, omit_defaults=True):
    id: int
    actor_id: UserId | None = None
    actor: str | None = None
    action: str
    subject: str
    subject_name: str | None = None
    """What it is called now, where it still is."""
    detail: dict[str, Any]
    at: datetime


class AuditPage(Struct, frozen=True, omit_defaults=True):
    items: tuple[AuditEntry, ...]
    next_cursor: str | None = None


class PageQuery(Struct, frozen=True, forbid_unknown_fields=True):
    cursor: Annotated[str, Meta(pattern=r"^[0-9]{1,18}" + END)] | None = None
    limit: Annotated[int, Meta(ge=1, le=200)] = 50


class AuditQuery(
    PageQuery, frozen=True, kw_only=True, forbid_unknown_fields=True, rename={"since": "from", "until": "to"}
):
    actor: UserId | None = None
    action: Annotated[str, Meta(max_length=100)] | None = None
    """An action such as `user.add`, or the first part of several, such as `user`."""
    since: date | None = None
    until: date | None = None
