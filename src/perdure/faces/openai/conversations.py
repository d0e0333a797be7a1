"""Conversations, as OpenAI's API has them: each is a chat, or will be one with its first response."""

from collections.abc import Iterable
from typing import Any

from perdure.access.actor import Permission
from perdure.access.chats import Seen
from perdure.api.decoding import body_of
from perdure.api.http import Answer
from perdure.api.routes.chats import describe_chat
from perdure.api.routes.copies import delete_chat
from perdure.api.routing import Routes
from perdure.api.wire.chats import PatchBody
from perdure.core.errors import ChatNotFound, InvalidInput, Refused, Validation
from perdure.core.ids import ChatId
from perdure.core.message import Message
from perdure.core.public import public_message
from perdure.faces.asked import TurnId
from perdure.faces.content import text_of
from perdure.faces.face import Answered, Request
from perdure.faces.openai import notes
from perdure.faces.openai.ids import ConversationId, announced, conversation_named, item_id
from perdure.faces.openai.items import Item, input_text, item_named, items_of, listed, output_text, page_of
from perdure.faces.openai.wire import BODY_LIMIT, ConversationBody, InputItem, ItemsBody, MetadataBody
from perdure.store.tables import messages

_WAITING = 0xFFFF_FFFF
"""The number, in their names, of items that are no message yet."""
_MOST_WAITING = 100
"""How many items may wait for a response: all of them become one message."""

routes = Routes("openai")


@routes.post("/conversations", body_limit=BODY_LIMIT)
async def create_conversation(request: Request) -> Answered:
    body: ConversationBody = body_of(ConversationBody, request.body)
    request.caller.actor.require(Permission.CHAT)
    text = announced(request.caller.services.clock.now().timestamp())
    found = conversation_named(text, request.caller.actor.user_id)
    if body.items:
        await notes.keep_waiting(request.caller, found.chat_id, _addable(body.items, begun=False))
    if body.metadata:
        await notes.keep_metadata(request.caller, found.chat_id, body.metadata)
    return await _told(request, found)


@routes.get("/conversations/{conversation_id}")
async def read_conversation(request: Request, conversation_id: str) -> Answered:
    found = _named(request, conversation_id)
    await _chat(request, found)
    return await _told(request, found)


@routes.post("/conversations/{conversation_id}")
async def update_conversation(request: Request, conversation_id: str) -> Answered:
    found = _named(request, conversation_id)
    await _own(request, found)
    body: MetadataBody = body_of(MetadataBody, request.body)
    await notes.keep_metadata(request.caller, found.chat_id, body.metadata or {})
    return await _told(request, found)


@routes.delete("/conversations/{conversation_id}")
async def delete_conversation(request: Request, conversation_id: str) -> Answered:
    found = _named(request, conversation_id)
    if await _own(request, found) is not None:
        await delete(request, found.chat_id)
    await notes.forget(request.caller, found.chat_id)
    return Answer.json(200, {"id": conversation_id, "object": "conversation.deleted", "deleted": True})


@routes.get("/conversations/{conversation_id}/items")
async def list_conversation_items(request: Request, conversation_id: str) -> Answered:
    return page_of(await _items(request, _named(request, conversation_id)), request.call)


@routes.post("/conversations/{conversation_id}/items", body_limit=BODY_LIMIT)
async def add_conversation_items(request: Request, conversation_id: str) -> Answered:
    """What is added waits, and is said with the next response."""
    found = _named(request, conversation_id)
    begun = await _own(request, found) is not None
    body: ItemsBody = body_of(ItemsBody, request.body)
    before = await notes.waiting(request.caller, found.chat_id)
    added = _addable(body.items, begun=begun)
    if len(before) + len(added) > _MOST_WAITING:
        raise InvalidInput("Too many items are waiting. Create a response first.", Validation("items", "are too many"))
    await notes.keep_waiting(request.caller, found.chat_id, (*before, *added))
    return listed(_waiting_items(found.chat_id, (*before, *added))[len(before) :])


@routes.get("/conversations/{conversation_id}/items/{name}")
async def read_conversation_item(request: Request, conversation_id: str, name: str) -> Answered:
    return Answer.json(200, item_named(await _items(request, _named(request, conversation_id)), name))


@routes.delete("/conversations/{conversation_id}/items/{name}")
async def delete_conversation_item(request: Request, conversation_id: str, name: str) -> Answered:
    """Only what waits can go: what was answered is part of the chat."""
    found = _named(request, conversation_id)
    await _own(request, found)
    waiting = await notes.waiting(request.caller, found.chat_id)
    names = [item["id"] for item in _waiting_items(found.chat_id, waiting)]
    if name not in names:
        item_named(await _items(request, found), name)
        raise Refused("This item has been answered. Delete the conversation, or edit the message on the page.")
    place = names.index(name)
    await notes.keep_waiting(request.caller, found.chat_id, (*waiting[:place], *waiting[place + 1 :]))
    return await _told(request, found)


async def said_in(request: Request, chat_id: ChatId) -> list[Message]:
    await request.caller.chats.read(chat_id)
    return [public_message(message) for message in await messages.visible(request.caller.rows, chat_id)]


async def delete(request: Request, chat_id: ChatId) -> None:
    seen = await request.caller.chats.own(chat_id)
    if not seen.chat.archived:
        await describe_chat(request.caller, chat_id, PatchBody(archived=True))
    await delete_chat(request.caller, chat_id)


def _named(request: Request, text: str) -> ConversationId:
    return conversation_named(text, request.caller.actor.user_id)


async def _chat(request: Request, found: ConversationId) -> Seen | None:
    """The chat; None where the conversation was announced and nothing was said in it yet."""
    try:
        return await request.caller.chats.read(found.chat_id)
    except ChatNotFound:
        if found.announced_at is None:
            raise
        return None


async def _own(request: Request, found: ConversationId) -> Seen | None:
    request.caller.actor.require(Permission.CHAT)
    if await _chat(request, found) is None:
        return None
    return await request.caller.chats.own(found.chat_id)


async def _items(request: Request, found: ConversationId) -> list[Item]:
    """What was said, and after it what waits."""
    begun = await _chat(request, found) is not None
    said = await said_in(request, found.chat_id) if begun else ()
    waiting = await notes.waiting(request.caller, found.chat_id)
    return [*items_of(found.chat_id, said), *_waiting_items(found.chat_id, waiting)]


def _waiting_items(chat_id: ChatId, items: Iterable[InputItem]) -> list[Item]:
    turn = TurnId(chat_id, _WAITING)
    return [
        {
            "id": item_id(turn, "msg", index),
            "type": "message",
            "role": item.role,
            "content": [(output_text if item.role == "assistant" else input_text)(text_of(item.content))],
            "status": "completed",
        }
        for index, item in enumerate(items)
    ]


def _addable(items: tuple[InputItem, ...], *, begun: bool) -> tuple[InputItem, ...]:
    roles = {"user"} if begun else {"user", "assistant", "system", "developer"}
    for index, item in enumerate(items):
        if item.type != "message" or item.role not in roles:
            said = "only what a user says can be added once a conversation has begun" if begun else "is no message"
            raise InvalidInput("This item cannot be added.", Validation(f"items[{index}]", said))
    return items


async def _told(request: Request, found: ConversationId) -> Answer:
    created = found.announced_at
    if created is None:
        created = int((await request.caller.chats.read(found.chat_id)).card.created_at.timestamp())
    told: dict[str, Any] = {"id": found.text, "object": "conversation", "created_at": created}
    return Answer.json(200, {**told, "metadata": await notes.metadata_of(request.caller, found.chat_id)})
