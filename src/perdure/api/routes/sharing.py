"""Who else may read a chat: people, groups, and whoever has a link."""

from uuid import UUID, uuid4

from perdure.access.rows import record
from perdure.api.caller import Caller
from perdure.api.routing import Routes
from perdure.api.wire.control import Nothing
from perdure.api.wire.people import Acl, LinkedChat, ShareLink
from perdure.core.errors import InvalidInput, NotFound, Validation
from perdure.core.ids import ChatId
from perdure.store.tables import links

routes = Routes("chats")


@routes.get("/chats/{chat_id}/acl")
async def read_acl(caller: Caller, chat_id: ChatId) -> Acl:
    """Who the chat is shared with."""
    await caller.chats.read(chat_id)
    return await _acl(caller, chat_id)


@routes.put("/chats/{chat_id}/acl")
async def share(caller: Caller, chat_id: ChatId, body: Acl) -> Acl:
    """Let exactly these people and groups read the chat and its children."""
    seen = await caller.chats.own(chat_id)
    if seen.row.parent_id is not None:
        raise InvalidInput("Share the root chat: its children come along.", Validation("chat_id", "is a child"))
    caller.announcements.card_changed(chat_id, await caller.chats.share(seen, body.users, body.groups))
    acl = await _acl(caller, chat_id)
    await record(caller.rows, "chat.share", chat_id, users=acl.users, groups=acl.groups)
    return acl


async def _acl(caller: Caller, chat_id: ChatId) -> Acl:
    rows = await caller.chats.shares(chat_id)
    return Acl(
        users=tuple(row.user_id for row in rows if row.user_id),
        groups=tuple(row.group_id for row in rows if row.group_id),
    )


@routes.get("/chats/{chat_id}/link")
async def read_link(caller: Caller, chat_id: ChatId) -> ShareLink:
    """The link that lets your organisation read the chat, if there is one. Only its owner is told."""
    await caller.chats.read(chat_id)
    found = await links.of_chat(caller.rows, chat_id)
    return ShareLink() if found is None else ShareLink(id=found.id, created_at=found.created_at)


@routes.put("/chats/{chat_id}/link")
async def make_link(caller: Caller, chat_id: ChatId, body: Nothing) -> ShareLink:  # noqa: ARG001
    """Create a link: anyone in your organisation who opens it can read the chat. An existing link stays."""
    await caller.chats.own(chat_id)
    made = await links.make(caller.rows, chat_id, uuid4())
    if made is None:
        raise InvalidInput("Share the root chat: its children come along.", Validation("chat_id", "is a child"))
    await record(caller.rows, "chat.link", chat_id)
    return ShareLink(id=made.id, created_at=made.created_at)


@routes.delete("/chats/{chat_id}/link")
async def take_link_back(caller: Caller, chat_id: ChatId) -> None:
    """Revoke the link. Those who used it can no longer read the chat."""
    await caller.chats.own(chat_id)
    version = await links.take_back(caller.rows, chat_id)
    if version is not None:
        caller.announcements.card_changed(chat_id, version)
        await record(caller.rows, "chat.unlink", chat_id)


@routes.post("/links/{link_id}")
async def follow_link(caller: Caller, link_id: UUID, body: Nothing) -> LinkedChat:  # noqa: ARG001
    """Open a chat by its link. From now on it is among the chats shared with you."""
    found = await links.follow(caller.rows, link_id)
    if found is None:
        raise NotFound("This link does not work. It may have been revoked.")
    if found.metadata_version is not None:
        caller.announcements.card_changed(found.chat_id, found.metadata_version)
    return LinkedChat(found.chat_id)
