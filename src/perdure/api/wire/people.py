"""People on the wire."""

from typing import Annotated, Any

from msgspec import UNSET, Meta, Struct, UnsetType

from perdure.access.roles import Role
from perdure.api.wire.content import LINE
from perdure.core.ids import OrganisationId, UserId

Email = Annotated[str, Meta(max_length=254, pattern=r"^[^@\s\u0000-\u001f]+@[^@\s\u0000-\u001f]+$")]
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


class MeBody(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True, omit_defaults=True):
    name: PersonName | UnsetType = UNSET
    preferences: dict[str, Any] | UnsetType = UNSET
    password: Password | UnsetType = UNSET
