"""People: users, groups, tokens, and what was done."""

from datetime import timedelta
from typing import Any
from uuid import UUID

import msgspec

from perdure.access.actor import Actor, Permission, readable
from perdure.api.caller import Caller
from perdure.api.decoding import midnight, midnight_after
from perdure.api.routing import Routes
from perdure.api.wire.people import (
    AuditEntry,
    AuditPage,
    AuditQuery,
    ChatOfPerson,
    ChatsOfPerson,
    Group,
    GroupBody,
    GroupPatch,
    Groups,
    NewToken,
    Token,
    TokenBody,
    Tokens,
    User,
    UserBody,
    UserPatch,
    Users,
)
from perdure.core.ids import UserId
from perdure.store.tables import audit
from perdure.store.tables.audit import AuditFilter, AuditRow
from perdure.store.tables.groups import GroupWithMembers
from perdure.store.tables.tokens import Token as TokenRow
from perdure.store.tables.users import User as UserRow

routes = Routes("people")


@routes.get("/users")
async def list_users(caller: Caller) -> Users:
    """The people of your organisation."""
    return Users(tuple(_user(row) for row in await caller.administration.people.all()))


@routes.post("/users", status=201)
async def add_user(caller: Caller, body: UserBody) -> User:
    """Add a user."""
    return _user(await caller.administration.people.add(body.email, body.name, body.role, body.password))


@routes.patch("/users/{user_id}")
async def change_user(caller: Caller, user_id: UserId, body: UserPatch) -> User:
    """Change a user's name, role or password, or deactivate them."""
    row = await caller.administration.people.change(
        user_id, name=body.name, role=body.role, disabled=body.disabled, password=body.password
    )
    caller.announcements.rights_changed()
    return _user(row)


@routes.delete("/users/{user_id}")
async def remove_user(caller: Caller, user_id: UserId) -> None:
    """Remove a user permanently. Their chats are stopped and kept."""
    await caller.administration.people.change(user_id, name=None, role=None, disabled=True, password=None)
    caller.announcements.rights_changed()


@routes.get("/users/{user_id}/chats")
async def list_chats_of_removed_user(caller: Caller, user_id: UserId) -> ChatsOfPerson:
    """The newest chats of a removed user, to read or to stop."""
    rows = await caller.administration.people.chats_of_removed(user_id)
    return ChatsOfPerson(tuple(ChatOfPerson(row.id, row.title, row.status, row.updated_at) for row in rows))


@routes.get("/groups")
async def list_groups(caller: Caller) -> Groups:
    """The groups of your organisation."""
    return Groups(tuple(_group(row) for row in await caller.administration.groups.all()))


@routes.post("/groups", status=201)
async def add_group(caller: Caller, body: GroupBody) -> Group:
    """Create a group of users."""
    row, members = await caller.administration.groups.add(body.name, body.members)
    return Group(id=row.id, name=row.name, members=tuple(members), created_at=row.created_at)


@routes.patch("/groups/{group_id}")
async def change_group(caller: Caller, group_id: UUID, body: GroupPatch) -> Group:
    """Rename a group, or set its members."""
    await caller.administration.groups.change(group_id, body.name, body.members)
    caller.announcements.rights_changed()
    return next(_group(row) for row in await caller.administration.groups.all() if row.id == group_id)


@routes.delete("/groups/{group_id}")
async def remove_group(caller: Caller, group_id: UUID) -> None:
    """Delete a group. What was shared with it no longer is."""
    await caller.administration.groups.delete(group_id)
    caller.announcements.rights_changed()


@routes.get("/tokens")
async def list_tokens(caller: Caller) -> Tokens:
    """Your tokens. Their secrets are not shown again."""
    return Tokens(tuple(_token(row) for row in await caller.administration.tokens.all()))


@routes.post("/tokens", status=201, secret=True)
async def add_token(caller: Caller, body: TokenBody) -> NewToken:
    """Create a token for a program. Its secret is shown only once."""
    caller.services.sign_in.count_token(caller.actor.user_id)
    kept = None if body.expires_in_days is None else timedelta(days=body.expires_in_days)
    row, secret = await caller.administration.tokens.add(body.name, body.scopes, kept)
    return NewToken(**msgspec.structs.asdict(_token(row)), secret=secret)


@routes.delete("/tokens/{token_id}")
async def revoke_token(caller: Caller, token_id: UUID) -> None:
    """Revoke a token of yours."""
    await caller.administration.tokens.delete(token_id)
    caller.announcements.rights_changed()


@routes.get("/audit")
async def read_audit(caller: Caller, query: AuditQuery) -> AuditPage:
    """What was done in your organisation, newest first; by one person, of one kind, within some days."""
    wanted = AuditFilter(
        before=None if query.cursor is None else int(query.cursor),
        limit=query.limit,
        actor_id=query.actor,
        action=query.action,
        since=None if query.since is None else midnight(query.since),
        until=None if query.until is None else midnight_after(query.until),
    )
    rows = await audit.page(caller.rows.organisation(Permission.AUDIT), wanted)
    items = tuple(_entry(row, caller.actor) for row in rows)
    return AuditPage(items, str(items[-1].id) if len(items) == query.limit else None)


def _entry(row: AuditRow, actor: Actor) -> AuditEntry:
    return AuditEntry(
        id=row.id,
        actor_id=row.actor_id,
        actor=row.actor,
        action=row.action,
        subject=row.subject,
        subject_name=row.subject_name,
        detail=readable(msgspec.json.decode(row.detail, type=dict[str, Any]), actor),
        at=row.at,
    )


def _group(row: GroupWithMembers) -> Group:
    return Group(id=row.id, name=row.name, members=row.members, created_at=row.created_at)


def _user(row: UserRow) -> User:
    return msgspec.convert(row, User, from_attributes=True)


def _token(row: TokenRow) -> Token:
    return msgspec.convert(row, Token, from_attributes=True)
