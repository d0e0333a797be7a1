"""The routes of OpenAI's API, below `/v1`."""

from collections.abc import Awaitable
from typing import Annotated, Any

from msgspec import Meta, Struct
from msgspec.structs import replace

from perdure.api.caller import Caller
from perdure.api.decoding import body_of, query_of
from perdure.api.http import Answer, Call
from perdure.api.routes.control import interrupt
from perdure.api.routing import Routes, Table
from perdure.api.wire.control import TurnBody
from perdure.core.errors import NotFound, Refused
from perdure.core.ids import ChatId
from perdure.core.message import Role
from perdure.faces.asked import NoModel, TurnId
from perdure.faces.asking import AGENT, Asking
from perdure.faces.face import Answered, Awaited, Protocol, Request, Streamed
from perdure.faces.finding import keyed_chat
from perdure.faces.following import TurnFeed
from perdure.faces.openai import completions, conversations, file_routes, notes, responses
from perdure.faces.openai.completions import Completion
from perdure.faces.openai.conversations import delete, said_in
from perdure.faces.openai.errors import OpenAiError, error_of
from perdure.faces.openai.ids import ConversationId, conversation_named, turn_named, turn_of_item
from perdure.faces.openai.items import items_of, page_of
from perdure.faces.openai.responses import Response
from perdure.faces.openai.socket import conversing
from perdure.faces.openai.turns import Turns, chunks, frames, told
from perdure.faces.openai.wire import BODY_LIMIT, CompletionBody, ResponseBody
from perdure.faces.turn import TurnEvent

KEYS = ("x-openwebui-chat-id", "x-conversation-id")
"""Headers by which front ends name their conversation."""
TASK = "x-openwebui-task"
"""A header by which Open WebUI says that it asks for itself: for a title, for tags, for questions to suggest."""
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
    task = request.call.headers.get(TASK, "").strip()
    if task and not body.stream:
        return await _done_aside(request, body, task)
    turn = await Asking(request.caller, completions.asked_of(body, _key(request))).turn()
    shown = request.call.headers.get(SHOW_TOOLS, "hide") == "show"
    completion, feed = await _turns(request).completion(turn, shows_tools=shown)
    if body.stream:
        usage = body.stream_options is not None and body.stream_options.include_usage
        return Streamed(turn.chat_id, chunks(completion, feed, include_usage=usage))
    return Awaited(_completed(completion, feed))


async def _done_aside(request: Request, body: CompletionBody, task: str) -> Answered:
    """What a front end wants done for itself: its chat is gone with the answer."""
    turn = await Asking(request.caller, completions.asked_of(body, None)).aside(task)
    completion, feed = await _turns(request).completion(turn, shows_tools=False)

    async def done() -> Answer:
        answer = await _completed(completion, feed)
        await delete(request, turn.chat_id)
        return answer

    return Awaited(done())


async def _completed(completion: Completion, feed: TurnFeed) -> Answer:
    completion.add(await told(feed))
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
    """The turn that answers, with what is to be kept beside it."""
    turn = await _placed(request, body)
    if body.metadata:
        await notes.keep_metadata(request.caller, turn.chat_id, body.metadata, turn.number)
    return turn


async def _placed(request: Request, body: ResponseBody) -> TurnId:
    """The turn that answers: in the conversation that is named, after the response that is named, or where it fits."""
    if body.previous_response_id is not None and body.conversation is not None:
        raise OpenAiError(400, "Name a conversation or a previous response, not both.", param="previous_response_id")
    if body.previous_response_id is not None:
        turn = turn_named(body.previous_response_id)
        return await Asking(request.caller, responses.asked_of(body, None)).branch(turn)
    if body.conversation is not None:
        named = body.conversation if isinstance(body.conversation, str) else body.conversation.id
        return await _followed(request, body, conversation_named(named, request.caller.actor.user_id))
    asking = Asking(request.caller, responses.asked_of(body, _key(request)))
    referred = [item.id for item in body.input if not isinstance(item, str) and item.type == "item_reference"]
    return await (asking.branch(turn_of_item(referred[-1] or "")) if referred else asking.turn())


async def _followed(request: Request, body: ResponseBody, found: ConversationId) -> TurnId:
    """The turn that answers in a conversation, after what was added to it and waits."""
    new = found.chat_id if found.announced_at is not None else None
    waiting = await notes.waiting(request.caller, found.chat_id)
    asked = responses.asked_of(replace(body, input=(*waiting, *responses.input_items(body))), new)
    turn = await Asking(request.caller, asked).follow(found.chat_id)
    if waiting:
        await notes.keep_waiting(request.caller, found.chat_id, ())
    return turn


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
    seen = await request.caller.chats.shared(turn.chat_id)
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
    said = [message for message in await said_in(request, turn.chat_id) if message.role is Role.USER]
    if len(said) != 1:
        raise Refused("This response is part of a conversation. Delete the conversation.")
    await delete(request, turn.chat_id)
    return Answer.json(200, {"id": response_id, "object": "response", "deleted": True})


@routes.get("/responses/{response_id}/input_items")
async def list_input_items(request: Request, response_id: str) -> Answered:
    turn = turn_named(response_id)
    found = await request.caller.chats.oldest(turn.chat_id, after=turn.number - 1, limit=1)
    if not found or found[0].number != turn.number:
        raise NotFound("Response not found.")
    return page_of(items_of(turn.chat_id, found), request.call)


OPENAI = Protocol(
    "/v1",
    Table(routes, conversations.routes, file_routes.routes),
    error_of,
    sockets={"/responses": conversing(_asked)},
)


async def _models(caller: Caller) -> list[dict[str, Any]]:
    """Models, the default one first; and templates, each an agent with a workspace of its own."""
    snapshot = await caller.config.of(caller.actor.organisation_id)
    usable = [model for model in snapshot.models.values() if model.usable]
    usable.sort(key=lambda model: (model is not snapshot.default, model.name))
    names = [(model.name, model.provider.name) for model in usable]
    templates = await caller.services.workspaces.templates.all(caller.actor.organisation_id)
    names += [(f"{AGENT}{template.name}", "perdure") for template in templates]
    return [{"id": name, "object": "model", "created": 0, "owned_by": owner} for name, owner in names]


def _known(call: Call, *names: str) -> dict[str, str]:
    """The parameters that mean something here; clients send others."""
    return {name: value for name, value in call.query.items() if name in names}
