"""Who else is in a chat: people, groups, and whoever has a link."""

from collections.abc import Sequence
from uuid import UUID, uuid4

import msgspec
from msgspec import UNSET

from perdure.access.actor import record
from perdure.access.roles import ShareRole
from perdure.api.caller import Caller
from perdure.api.routing import Routes
from perdure.api.wire.control import Nothing
from perdure.api.wire.people import Acl, LinkBody, LinkedChat, PeopleOfChat, PersonOfChat, ShareLink, TypingBody
from perdure.core.errors import InvalidInput, NotFound, Validation
from perdure.core.ids import ChatId
from perdure.store.tables import links, shares
from perdure.store.tables.shares import Share

routes = Routes("chats")


@routes.get("/chats/{chat_id}/acl")
async def read_acl(caller: Caller, chat_id: ChatId) -> Acl:
    """Who the chat is shared with."""
    await caller.chats.read(chat_id)
    return await _acl(caller, chat_id)


@routes.put("/chats/{chat_id}/acl")
async def share(caller: Caller, chat_id: ChatId, body: Acl) -> Acl:
    """Share the chat and its children with exactly these people and groups, to read, write or approve."""
    seen = await caller.chats.own(chat_id)
    if seen.row.parent_id is not None:
        raise InvalidInput(
            "Share the top-level chat. Its sub-agents are shared with it.", Validation("chat_id", "is a child")
        )
    roles = {} if body.roles is UNSET else body.roles
    if alone := sorted(map(str, roles.keys() - {*body.users, *body.groups})):
        raise InvalidInput(
            "A role is given to somebody who is not in the list.",
            Validation(f"roles[{alone[0]}]", "is not shared with"),
        )
    users = {user: roles.get(user, ShareRole.READ) for user in body.users}
    groups = {group: roles.get(group, ShareRole.READ) for group in body.groups}
    caller.announcements.card_changed(chat_id, await caller.chats.share(seen, users, groups))
    caller.announcements.shares_changed(chat_id)
    acl = await _acl(caller, chat_id)
    written = {} if acl.roles is UNSET else acl.roles
    await record(caller.rows, "chat.share", chat_id, users=acl.users, groups=acl.groups, roles=written)
    return acl


async def _acl(caller: Caller, chat_id: ChatId) -> Acl:
    rows = await caller.chats.shares(chat_id)
    return Acl(
        users=tuple(row.user_id for row in rows if row.user_id),
        groups=tuple(row.group_id for row in rows if row.group_id),
        roles=_roles(rows) or UNSET,
    )


def _roles(rows: Sequence[Share]) -> dict[UUID, ShareRole]:
    """What those may do who may do more than read."""
    roles = {row.user_id or row.group_id: ShareRole(row.role) for row in rows}
    return {each: role for each, role in roles.items() if each is not None and role is not ShareRole.READ}


@routes.get("/chats/{chat_id}/people")
async def list_people(caller: Caller, chat_id: ChatId) -> PeopleOfChat:
    """Who is in the chat: its owner, then those it is shared with, and what each may do."""
    await caller.chats.read(chat_id)
    found = await shares.people(caller.rows, chat_id)
    return PeopleOfChat(tuple(msgspec.convert(row, PersonOfChat, from_attributes=True) for row in found))


@routes.post("/chats/{chat_id}/typing", status=204)
async def tell_typing(caller: Caller, chat_id: ChatId, body: TypingBody) -> None:
    """Tell the others in the chat that you are writing, every few seconds, or that you stopped."""
    await caller.chats.shared(chat_id)
    caller.announcements.typing(chat_id, typing=body.typing)


@routes.get("/chats/{chat_id}/link")
async def read_link(caller: Caller, chat_id: ChatId) -> ShareLink:
    """The link that lets your organisation read the chat, if there is one. Only its owner is told."""
    await caller.chats.read(chat_id)
    found = await links.of_chat(caller.rows, chat_id)
    return (
        ShareLink()
        if found is None
        else ShareLink(id=found.id, created_at=found.created_at, role=ShareRole(found.role))
    )


@routes.put("/chats/{chat_id}/link")
async def make_link(caller: Caller, chat_id: ChatId, body: LinkBody) -> ShareLink:
    """Create a link: anyone in your organisation who opens it can read the chat, or do more. An existing link stays."""
    await caller.chats.own(chat_id)
    made = await links.make(caller.rows, chat_id, uuid4(), body.role.value)
    if made is None:
        raise InvalidInput(
            "Share the top-level chat. Its sub-agents are shared with it.", Validation("chat_id", "is a child")
        )
    caller.announcements.card_changed(chat_id, made.metadata_version)
    caller.announcements.shares_changed(chat_id)
    await record(caller.rows, "chat.link", chat_id, role=body.role)
    return ShareLink(id=made.id, created_at=made.created_at, role=body.role)


@routes.delete("/chats/{chat_id}/link")
async def take_link_back(caller: Caller, chat_id: ChatId) -> None:
    """Revoke the link. Those who used it can no longer read the chat."""
    await caller.chats.own(chat_id)
    version = await links.take_back(caller.rows, chat_id)
    if version is not None:
        caller.announcements.card_changed(chat_id, version)
        caller.announcements.shares_changed(chat_id)
        await record(caller.rows, "chat.unlink", chat_id)


@routes.post("/links/{link_id}")
async def follow_link(caller: Caller, link_id: UUID, body: Nothing) -> LinkedChat:  # noqa: ARG001
    """Open a chat by its link. From now on it is among the chats shared with you."""
    found = await links.follow(caller.rows, link_id)
    if found is None:
        raise NotFound("This link is not valid. It may have been revoked.")
    if found.metadata_version is not None:
        caller.announcements.card_changed(found.chat_id, found.metadata_version)
    return LinkedChat(found.chat_id)
