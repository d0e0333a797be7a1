"""The routes of OpenAI's API, below `/v1`."""

from collections.abc import Awaitable
from typing import Annotated, Any
from uuid import uuid4

from msgspec import Meta, Struct

from perdure.access.roles import Permission
from perdure.api.caller import Caller
from perdure.api.decoding import body_of, query_of
from perdure.api.http import Answer, Call
from perdure.api.multipart import upload_of
from perdure.api.routes.chats import describe_chat
from perdure.api.routes.control import interrupt
from perdure.api.routes.copies import delete_chat
from perdure.api.routing import Routes, Table
from perdure.api.uploads import FILE_LIMIT, file_name, sniffed
from perdure.api.wire.chats import PatchBody
from perdure.api.wire.control import TurnBody
from perdure.core.errors import ChatNotFound, NotFound, Refused
from perdure.core.ids import ChatId, FileId
from perdure.core.message import Message, Role
from perdure.core.parts import Text, ToolCall, ToolResult
from perdure.core.public import public_message
from perdure.faces.asking import AGENT, Asking, TurnId, keyed_chat
from perdure.faces.content import file_id, file_named
from perdure.faces.errors import NoModel
from perdure.faces.face import Answered, Awaited, Protocol, Request, Streamed
from perdure.faces.following import TurnFeed
from perdure.faces.openai import completions, responses
from perdure.faces.openai.completions import Completion
from perdure.faces.openai.errors import OpenAiError, error_of
from perdure.faces.openai.ids import (
    ConversationId,
    announced,
    conversation_named,
    item_id,
    turn_named,
    turn_of_item,
)
from perdure.faces.openai.responses import Response
from perdure.faces.openai.turns import Turns, chunks, frames, told
from perdure.faces.openai.wire import CompletionBody, ConversationBody, ResponseBody
from perdure.faces.turn import TurnEvent
from perdure.store.tables import files, messages

BODY_LIMIT = 4 * FILE_LIMIT // 3 * 2
"""Room for two of the largest files, written as base64."""
KEYS = ("x-openwebui-chat-id", "x-conversation-id")
"""Headers by which front ends name their conversation."""
SHOW_TOOLS = "x-perdure-tools"
"""A header that says whether what an agent does is shown among its thoughts: `show` or `hide`."""

routes = Routes("openai")


def _turns(request: Request) -> Turns:
    return Turns(request.caller, request.hubs)


def _key(request: Request) -> ChatId | None:
    """The chat that the front end means by a header."""
    found = next((value for name in KEYS if (value := request.call.headers.get(name, "").strip())), None)
    return None if found is None else keyed_chat(request.caller.actor.user_id, f"openai:{found}")


class RetrieveQuery(Struct, frozen=True, kw_only=True):
    stream: bool = False
    starting_after: Annotated[int, Meta(ge=-1)] | None = None


@routes.get("/models")
async def list_models(request: Request) -> Answered:
    return Answer.json(200, {"object": "list", "data": await _models(request.caller)})


@routes.get("/models/{name}")
async def read_model(request: Request, name: str) -> Answered:
    found = next((model for model in await _models(request.caller) if model["id"] == name), None)
    if found is None:
        raise NoModel(name)
    return Answer.json(200, found)


@routes.get("/models/agent/{name}")
async def read_agent(request: Request, name: str) -> Answered:
    return await read_model(request, f"{AGENT}{name}")


@routes.post("/chat/completions", body_limit=BODY_LIMIT)
async def create_completion(request: Request) -> Answered:
    body: CompletionBody = body_of(CompletionBody, request.body)
    turn = await Asking(request.caller, completions.asked_of(body, _key(request))).turn()
    shown = request.call.headers.get(SHOW_TOOLS, "hide") == "show"
    completion, feed = await _turns(request).completion(turn, shows_tools=shown)
    if body.stream:
        usage = body.stream_options is not None and body.stream_options.include_usage
        return Streamed(turn.chat_id, chunks(completion, feed, include_usage=usage))
    return Awaited(_completed(completion, feed))


async def _completed(completion: Completion, feed: TurnFeed) -> Answer:
    for _ in completion.add(await told(feed)):
        pass
    return completion.answer


@routes.post("/responses", body_limit=BODY_LIMIT)
async def create_response(request: Request) -> Answered:
    body: ResponseBody = body_of(ResponseBody, request.body)
    turn = await _asked(request, body)
    response, feed = await _turns(request).response(turn)
    if body.stream:
        return Streamed(turn.chat_id, frames(response, feed))
    return Awaited(_responded(response, feed.now() if body.background else told(feed)))


async def _responded(response: Response, events: Awaitable[list[TurnEvent]]) -> Answer:
    response.add(await events)
    return Answer.json(200, response.object)


async def _asked(request: Request, body: ResponseBody) -> TurnId:
    """The turn that answers: in the conversation that is named, after the response that is named, or where it fits."""
    if body.previous_response_id is not None and body.conversation is not None:
        raise OpenAiError(400, "Name a conversation or a previous response, not both.", param="previous_response_id")
    if body.previous_response_id is not None:
        turn = turn_named(body.previous_response_id)
        return await Asking(request.caller, responses.asked_of(body, None)).branch(turn)
    if body.conversation is not None:
        named = body.conversation if isinstance(body.conversation, str) else body.conversation.id
        found = conversation_named(named, request.caller.actor.user_id)
        new = found.chat_id if found.announced_at is not None else None
        return await Asking(request.caller, responses.asked_of(body, new)).follow(found.chat_id)
    asking = Asking(request.caller, responses.asked_of(body, _key(request)))
    referred = [item.id for item in body.input if not isinstance(item, str) and item.type == "item_reference"]
    return await (asking.branch(turn_of_item(referred[-1] or "")) if referred else asking.turn())


@routes.get("/responses/{response_id}")
async def read_response(request: Request, response_id: str) -> Answered:
    query: RetrieveQuery = query_of(RetrieveQuery, _known(request.call, "stream", "starting_after"))
    turn = turn_named(response_id)
    response, feed = await _turns(request).response(turn)
    if query.stream:
        return Streamed(turn.chat_id, frames(response, feed, after=query.starting_after))
    response.add(await feed.now())
    return Answer.json(200, response.object)


@routes.post("/responses/{response_id}/cancel")
async def cancel_response(request: Request, response_id: str) -> Answered:
    turn = turn_named(response_id)
    response, feed = await _turns(request).response(turn)
    seen = await request.caller.chats.own(turn.chat_id)
    response.add(await feed.now())
    if response.ended is not None:
        # Another turn may run by now: that one goes on.
        return Answer.json(200, response.object)
    await interrupt(request.caller, turn.chat_id, TurnBody(turn=seen.chat.turn))
    response, feed = await _turns(request).response(turn)
    return Awaited(_responded(response, told(feed)))


@routes.delete("/responses/{response_id}")
async def delete_response(request: Request, response_id: str) -> Answered:
    """Only a response that is a chat of its own can go: one in the middle of a conversation is part of it."""
    turn = turn_named(response_id)
    await _turns(request).response(turn)
    said = [message for message in await _messages(request, turn.chat_id) if message.role is Role.USER]
    if len(said) != 1:
        raise Refused("This response is part of a conversation. Delete the conversation.")
    await _delete(request, turn.chat_id)
    return Answer.json(200, {"id": response_id, "object": "response", "deleted": True})


@routes.get("/responses/{response_id}/input_items")
async def list_input_items(request: Request, response_id: str) -> Answered:
    turn = turn_named(response_id)
    found = await request.caller.chats.oldest(turn.chat_id, after=turn.number - 1, limit=1)
    if not found or found[0].number != turn.number:
        raise NotFound("There is no such response.")
    return _listed([item for message in found for item in _items(turn.chat_id, message)])


@routes.post("/conversations", body_limit=BODY_LIMIT)
async def create_conversation(request: Request) -> Answered:
    body: ConversationBody = body_of(ConversationBody, request.body)
    request.caller.actor.require(Permission.CHAT)
    if body.items:
        raise OpenAiError(400, "A conversation begins with a response: send its items there.", param="items")
    text = announced(request.caller.services.clock.now().timestamp())
    return _conversation(conversation_named(text, request.caller.actor.user_id), body.metadata)


@routes.get("/conversations/{conversation_id}")
async def read_conversation(request: Request, conversation_id: str) -> Answered:
    found = conversation_named(conversation_id, request.caller.actor.user_id)
    if found.announced_at is None:
        seen = await request.caller.chats.read(found.chat_id)
        found = found._replace(announced_at=int(seen.card.created_at.timestamp()))
    return _conversation(found, None)


@routes.delete("/conversations/{conversation_id}")
async def delete_conversation(request: Request, conversation_id: str) -> Answered:
    found = conversation_named(conversation_id, request.caller.actor.user_id)
    try:
        await _delete(request, found.chat_id)
    except ChatNotFound:
        if found.announced_at is None:
            raise
    return Answer.json(200, {"id": conversation_id, "object": "conversation.deleted", "deleted": True})


@routes.get("/conversations/{conversation_id}/items")
async def list_conversation_items(request: Request, conversation_id: str) -> Answered:
    found = conversation_named(conversation_id, request.caller.actor.user_id)
    try:
        said = await _messages(request, found.chat_id)
    except ChatNotFound:
        if found.announced_at is None:
            raise
        said = []
    return _listed([item for message in said for item in _items(found.chat_id, message)])


@routes.post("/files", body_limit=FILE_LIMIT + 64 * 1024)
async def upload_file(request: Request) -> Answered:
    request.caller.actor.require(Permission.CHAT)
    upload = upload_of(request.body, request.call.headers.get("content-type", ""), limit=FILE_LIMIT)
    found, name = FileId(uuid4()), file_name(upload.name)
    media_type = sniffed(upload.content, upload.media_type, name)
    await files.add(request.caller.rows, found, name, media_type, len(upload.content), upload.content)
    return Answer.json(200, _file(found, name, len(upload.content)))


@routes.get("/files/{name}")
async def read_file(request: Request, name: str) -> Answered:
    found = await _stored(request, name)
    return Answer.json(200, _file(FileId(file_named(name)), found.name, len(found.content)))


@routes.get("/files/{name}/content")
async def read_file_content(request: Request, name: str) -> Answered:
    found = await _stored(request, name)
    return Answer(200, found.content, (("content-type", found.media_type), ("content-security-policy", "sandbox")))


OPENAI = Protocol("/v1", Table(routes), error_of)


async def _stored(request: Request, name: str) -> files.FileContent:
    found = await files.read(request.caller.rows, FileId(file_named(name)))
    if found is None:
        raise NotFound(f"There is no file {name!r}.")
    return found


async def _models(caller: Caller) -> list[dict[str, Any]]:
    """Models, the default one first; and templates, each an agent with a workspace of its own."""
    snapshot = await caller.config.of(caller.actor.organisation_id)
    usable = [model for model in snapshot.models.values() if model.usable]
    usable.sort(key=lambda model: (model is not snapshot.default, model.name))
    names = [(model.name, model.provider.name) for model in usable]
    templates = await caller.services.workspaces.templates.all(caller.actor.organisation_id)
    names += [(f"{AGENT}{template.name}", "perdure") for template in templates]
    return [{"id": name, "object": "model", "created": 0, "owned_by": owner} for name, owner in names]


async def _messages(request: Request, chat_id: ChatId) -> list[Message]:
    await request.caller.chats.read(chat_id)
    return [public_message(message) for message in await messages.visible(request.caller.rows, chat_id)]


async def _delete(request: Request, chat_id: ChatId) -> None:
    seen = await request.caller.chats.own(chat_id)
    if not seen.chat.archived:
        await describe_chat(request.caller, chat_id, PatchBody(archived=True))
    await delete_chat(request.caller, chat_id)


def _items(chat_id: ChatId, message: Message) -> list[dict[str, Any]]:
    turn = TurnId(chat_id, message.number)
    return [item for index, part in enumerate(message.parts) if (item := _item(turn, message, part, index))]


def _item(turn: TurnId, message: Message, part: object, index: int) -> dict[str, Any] | None:
    match part:
        case Text(text=text) if message.role is Role.USER:
            content = [{"type": "input_text", "text": text}]
            return {"id": item_id(turn, "msg", index), "type": "message", "role": "user", "content": content}
        case Text(text=text):
            said = [responses.output_text(text)]
            return {"id": item_id(turn, "msg", index), "type": "message", "role": "assistant", "content": said}
        case ToolCall():
            call = {"call_id": part.call_id, "name": part.tool, "arguments": part.args}
            return {"id": item_id(turn, "fc", index), "type": "function_call", **call}
        case ToolResult():
            said = {"call_id": part.call_id, "output": part.result}
            return {"id": item_id(turn, "fco", index), "type": "function_call_output", **said}
        case _:
            return None


def _listed(items: list[dict[str, Any]]) -> Answer:
    ends = {"first_id": items[0]["id"], "last_id": items[-1]["id"]} if items else {"first_id": None, "last_id": None}
    done = [{**item, "status": "completed"} for item in items]
    return Answer.json(200, {"object": "list", "data": done, **ends, "has_more": False})


def _conversation(found: ConversationId, metadata: dict[str, str] | None) -> Answer:
    created = found.announced_at or 0
    return Answer.json(
        200, {"id": found.text, "object": "conversation", "created_at": created, "metadata": metadata or {}}
    )


def _file(found: FileId, name: str, size: int) -> dict[str, Any]:
    return {
        "id": file_id(found),
        "object": "file",
        "bytes": size,
        "created_at": 0,
        "filename": name,
        "purpose": "user_data",
        "status": "processed",
    }


def _known(call: Call, *names: str) -> dict[str, str]:
    """The parameters that mean something here; clients send others."""
    return {name: value for name, value in call.query.items() if name in names}
