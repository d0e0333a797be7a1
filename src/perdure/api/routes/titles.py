"""Titles that a model finds."""

from msgspec import Struct

from perdure.access.chats import Seen
from perdure.api.caller import Caller
from perdure.api.routing import Routes
from perdure.api.wire.chats import Moved
from perdure.api.wire.control import Nothing
from perdure.core.card import Card
from perdure.core.errors import Refused
from perdure.core.ids import ChatId
from perdure.store.tables.messages import visible

routes = Routes("chats")


class ProposedTitle(Struct, frozen=True):
    title: str


@routes.post("/chats/{chat_id}/title/propose", apart=True)
async def propose_title(caller: Caller, chat_id: ChatId, body: Nothing) -> ProposedTitle:  # noqa: ARG001
    """Ask a model for a title. Nothing is stored."""
    return ProposedTitle(await _proposed(caller, await caller.chats.own(chat_id)))


@routes.post("/chats/{chat_id}/title/regenerate", apart=True)
async def regenerate_title(caller: Caller, chat_id: ChatId, body: Nothing) -> Moved:  # noqa: ARG001
    """Ask a model for a title and set it, unless somebody renames the chat meanwhile."""
    seen = await caller.chats.own(chat_id)
    version = await caller.chats.retitle(seen, await _proposed(caller, seen))
    if version is not None:
        caller.announcements.card_changed(chat_id, version)
    return Moved((await caller.chats.read(chat_id)).card)


async def _proposed(caller: Caller, seen: Seen) -> str:
    messages = await visible(caller.rows, seen.chat.id)
    if not messages:
        raise Refused("This chat has nothing to make a title from yet.")
    card = Card(
        id=seen.chat.id,
        owner_id=caller.actor.user_id,
        organisation_id=caller.actor.organisation_id,
        title=seen.card.title,
        parent_id=seen.card.parent_id,
        model=seen.card.model,
    )
    return await caller.services.describer.title(seen.chat, card, messages)
