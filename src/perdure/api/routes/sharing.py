"""Who else may read a chat."""

from perdure.access.audit import record
from perdure.api.caller import Caller
from perdure.api.routing import Routes
from perdure.api.wire.people import Acl
from perdure.core.errors import InvalidInput, Validation
from perdure.core.ids import ChatId

routes = Routes("chats")


@routes.get("/chats/{chat_id}/acl")
async def read_acl(caller: Caller, chat_id: ChatId) -> Acl:
    """With whom the chat is shared."""
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
