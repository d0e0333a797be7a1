"""Signing in with a login service, and setting such services up."""

import re
from typing import Annotated

import msgspec
from msgspec import Meta, Struct

from perdure.access.credentials import cookie_of
from perdure.access.login_services import LoginOptions
from perdure.access.signing_in import Visitor
from perdure.api.caller import Caller
from perdure.api.http import Call, setting, short_lived
from perdure.api.routing import Routes, WithHeaders
from perdure.api.services import Services
from perdure.api.wire.content import END, LINE, NAME, Named
from perdure.core.errors import InvalidInput, Unauthenticated, Validation
from perdure.core.timing import OIDC_ATTEMPT_KEPT
from perdure.store.tables.login_services import ServiceSetup

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


routes = Routes("session")

ATTEMPT_COOKIE = "perdure_sign_in"
_CODE = re.compile("[a-z_]{1,40}")
_SLUG = frozenset("abcdefghijklmnopqrstuvwxyz0123456789-")


@routes.get("/login/oidc/{name}", public=True, status=303, visited=True)
async def begin_login(services: Services, call: Call, name: str) -> WithHeaders[None]:
    """Redirect to a login service."""
    services.sign_in.count_attempt(_visitor(call))
    url, kept = await services.login_services.begin(name, _redirect_uri(services, call, name))
    cookie = short_lived(ATTEMPT_COOKIE, kept, OIDC_ATTEMPT_KEPT, path=_path(name), secure=call.secure)
    return WithHeaders(None, cookie, ("location", url))


@routes.get("/login/oidc/{name}/callback", public=True, status=303, visited=True)
async def finish_login(services: Services, call: Call, name: str, query: LoginCallback) -> WithHeaders[None]:
    """Return from a login service, signed in, and redirect to the page."""
    services.sign_in.count_attempt(_visitor(call))
    if query.code is None:
        raise Unauthenticated(_refused(query.error))
    redirect_uri = _redirect_uri(services, call, name)
    user_id = await services.login_services.finish(
        name, redirect_uri, code=query.code, state=query.state, kept=cookie_of(call.headers, ATTEMPT_COOKIE)
    )
    secret = await services.sign_in.open(user_id, _visitor(call))
    # Their role may have changed on the way.
    services.authentication.forget()
    gone = short_lived(ATTEMPT_COOKIE, "", None, path=_path(name), secure=call.secure)
    return WithHeaders(None, setting(secret, secure=call.secure), gone, ("location", "/"))


@routes.get("/login-services")
async def list_login_services(caller: Caller) -> LoginServiceList:
    """The login services, for the owner."""
    rows = await caller.administration.login.all()
    return LoginServiceList(tuple(_view(caller, row) for row in rows))


@routes.put("/login-services/{name}")
async def put_login_service(caller: Caller, name: str, body: LoginServiceBody) -> LoginServiceView:
    """Set up a login service, or change one. The name is part of its URLs."""
    if not 1 <= len(name) <= 40 or not _SLUG.issuperset(name):
        raise InvalidInput("The name is not valid.", Validation("name", "a-z, 0-9 and -, at most 40"))
    row = await caller.administration.login.put(
        name,
        name=body.name,
        issuer=body.issuer,
        client_id=body.client_id,
        secret=body.client_secret,
        options=body.options,
        enabled=body.enabled,
    )
    return _view(caller, row)


@routes.delete("/login-services/{name}")
async def delete_login_service(caller: Caller, name: str) -> None:
    """Remove a login service. Existing sessions stay; end them one by one."""
    await caller.administration.login.delete(name)


def _refused(error: str | None) -> str:
    if error == "access_denied":
        return "You were not let in: you or the login service said no."
    # Anybody can write such an address: only what looks like a code is repeated.
    code = error if error and _CODE.fullmatch(error) else "it gave no reason"
    return f"The login service did not let you in: {code}."


def _view(caller: Caller, row: ServiceSetup) -> LoginServiceView:
    return LoginServiceView(
        slug=row.slug,
        name=row.name,
        issuer=row.issuer,
        client_id=row.client_id,
        has_secret=row.has_secret,
        enabled=row.enabled,
        options=msgspec.json.decode(row.options, type=LoginOptions),
        redirect_uri=_redirect_uri(caller.services, caller.call, row.slug),
    )


def _path(name: str) -> str:
    return f"/api/v1/login/oidc/{name}"


def _redirect_uri(services: Services, call: Call, name: str) -> str:
    return f"{services.address(call)}{_path(name)}/callback"


def _visitor(call: Call) -> Visitor:
    return Visitor(call.address, call.headers.get("user-agent", ""))
