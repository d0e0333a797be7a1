"""Login services on the wire."""

from typing import Annotated

from msgspec import Meta, Struct

from perdure.access.login_services import LoginOptions
from perdure.api.wire.content import END, LINE, NAME, Named

Issuer = Annotated[
    str, Meta(max_length=500, pattern=r"^(https://[^\s/?#]+|http://(127\.0\.0\.1|localhost)(:\d+)?)(/[^\s?#]*)?" + END)
]
"""HTTPS, except on this machine."""


class LoginServiceBody(Named, frozen=True, kw_only=True, forbid_unknown_fields=True, omit_defaults=True):
    name: Annotated[str, Meta(min_length=1, max_length=100, pattern=NAME)]
    issuer: Issuer
    client_id: Annotated[str, Meta(min_length=1, max_length=500, pattern=NAME)]
    client_secret: Annotated[str, Meta(min_length=1, max_length=1_000, pattern=LINE)] | None = None
    """Left out, the one that is there stays."""
    enabled: bool = True
    options: LoginOptions = LoginOptions()


class LoginServiceView(Struct, frozen=True, kw_only=True):
    slug: str
    name: str
    issuer: str
    client_id: str
    has_secret: bool
    enabled: bool
    options: LoginOptions
    redirect_uri: str
    """What the service must be told to send people back to."""


class LoginServiceList(Struct, frozen=True):
    items: tuple[LoginServiceView, ...]


class LoginCallback(Struct, frozen=True):
    """What a login service sends back. It may say more, which is not read."""

    state: Annotated[str, Meta(max_length=200)] = ""
    code: Annotated[str, Meta(max_length=4_000)] | None = None
    error: Annotated[str, Meta(max_length=200)] | None = None
