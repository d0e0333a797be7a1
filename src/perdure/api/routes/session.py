"""Signing in and out, and oneself."""

from uuid import UUID

import msgspec
from msgspec import UNSET

from perdure.access.actor import Role
from perdure.access.credentials import csrf_token, hashed, secret_of
from perdure.access.signing_in import Visitor
from perdure.api.caller import Caller
from perdure.api.http import Call, clearing, setting
from perdure.api.routing import Routes, WithHeaders
from perdure.api.services import Services
from perdure.api.wire.people import LinkQuery, LoginBody, LoginMethods, LoginService, Me, MeBody, Session, Sessions
from perdure.core.errors import InvalidInput, NotFound, Validation
from perdure.store.tables import sessions, users

routes = Routes("session")

PREFERENCES_LIMIT = 16 * 1024


@routes.get("/login/methods", public=True)
async def login_methods(services: Services) -> LoginMethods:
    """How people can sign in here."""
    reachable = await services.sign_in.reachable()
    offered = await services.login_services.offered()
    oidc = tuple(LoginService(each.slug, each.name, f"/api/v1/login/oidc/{each.slug}") for each in offered)
    return LoginMethods(password=True, oidc=oidc, first_run=not reachable)


@routes.post("/login", public=True)
async def login(services: Services, call: Call, body: LoginBody) -> WithHeaders[Me]:
    """Sign in with a password. The session comes as a cookie."""
    secret = await services.sign_in.by_password(body.email, body.password, _visitor(call))
    caller = Caller(services, services.rows(await services.authentication.actor(secret)), call, None)
    return WithHeaders(await _me(caller, secret), setting(secret, secure=call.secure))


@routes.get("/login/link", public=True, status=303, visited=True)
async def login_link(services: Services, call: Call, query: LinkQuery) -> WithHeaders[None]:
    """Sign in with a link that works once, and go to the page."""
    secret = await services.sign_in.by_link(query.token, _visitor(call))
    return WithHeaders(None, setting(secret, secure=call.secure), ("location", "/"))


@routes.post("/logout", status=204)
async def logout(caller: Caller) -> WithHeaders[None]:
    """End the session that this request came with."""
    if caller.actor.session_id is not None:
        await sessions.end(caller.rows, caller.actor.session_id)
        caller.announcements.rights_changed()
    return WithHeaders(None, clearing(secure=caller.call.secure))


@routes.get("/me")
async def me(caller: Caller) -> Me:
    """The signed-in user, and the CSRF token that changes from a page must carry."""
    return await _me(caller)


@routes.patch("/me")
async def change_me(caller: Caller, body: MeBody) -> Me:
    """Change your name, preferences or password. A new password needs the old one and ends your other sessions."""
    preferences = None if body.preferences is UNSET else msgspec.json.encode(body.preferences).decode()
    if preferences is not None and len(preferences) > PREFERENCES_LIMIT:
        raise InvalidInput("The preferences are too large.", Validation("preferences", "must fit in 16 KiB"))
    if body.password is not UNSET:
        caller.actor.require_whole()
    password = None if body.password is UNSET else await hashed(body.password)
    if password is not None:
        await caller.services.sign_in.prove(caller.rows, body.old_password)
    await users.change_me(caller.rows, None if body.name is UNSET else body.name, preferences, password)
    if password is not None:
        await sessions.end_others(caller.rows, caller.actor.session_id)
        caller.announcements.rights_changed()
    return await _me(caller)


@routes.get("/sessions")
async def list_sessions(caller: Caller) -> Sessions:
    """Where you are signed in."""
    rows = await sessions.listed(caller.rows)
    current = caller.actor.session_id
    return Sessions(tuple(Session(**msgspec.structs.asdict(row), current=row.id == current) for row in rows))


@routes.delete("/sessions/{session_id}")
async def end_session(caller: Caller, session_id: UUID) -> None:
    """Sign out of another session."""
    caller.actor.require_whole()
    if await sessions.end(caller.rows, session_id) is None:
        raise NotFound("Session not found.")
    caller.announcements.rights_changed()


async def _me(caller: Caller, secret: str | None = None) -> Me:
    row = await users.me(caller.rows)
    if row is None:
        raise NotFound("User not found.")
    secret = secret or secret_of(caller.call.headers)
    return Me(
        id=row.id,
        email=row.email,
        name=row.name,
        role=Role(row.role),
        organisation_id=row.organisation_id,
        csrf_token=csrf_token(secret) if secret and caller.actor.session_id else "",
        preferences=msgspec.json.decode(row.preferences),
    )


def _visitor(call: Call) -> Visitor:
    return Visitor(call.address, call.headers.get("user-agent", ""))
