"""The routes of A2A: an agent is a model or a template, a context is a chat, a task is a turn."""

import re
from collections.abc import Awaitable, Callable, Iterable
from typing import TypeAlias
from uuid import UUID

import msgspec
from msgspec import UNSET

from perdure.api.decoding import body_of
from perdure.api.errors import answer_of
from perdure.api.http import Answer
from perdure.api.routes.control import interrupt
from perdure.api.routing import Routes, Table
from perdure.api.wire.control import TurnBody
from perdure.core.errors import InvalidInput, NotFound, PerdureError
from perdure.core.ids import ChatId
from perdure.faces.a2a import wire
from perdure.faces.a2a.card import DEFAULT, PROTOCOL_VERSION, card_of
from perdure.faces.a2a.task import GivenTask, updates
from perdure.faces.a2a.wire import A2aError, AgentMessage, MessagePart, RpcRequest, SendParams, TaskParams
from perdure.faces.agents import BODY_LIMIT, feed_of, model_of
from perdure.faces.asked import Asked, TurnId, user_given
from perdure.faces.asking import Asking
from perdure.faces.content import ContentPart
from perdure.faces.face import Answered, Awaited, Protocol, Request, Streamed
from perdure.faces.finding import chat_meant
from perdure.faces.following import TurnFeed
from perdure.faces.turn import TurnEvent

_TASK = re.compile(r"([0-9a-f]{32})([0-7][0-9a-f]{7})")

routes = Routes("a2a")


@routes.get("/{agent}/.well-known/agent-card.json")
async def read_card(request: Request, agent: str) -> Answered:
    await _model(request, agent)
    return Answer.json(200, card_of(request.caller.services.address(request.call), agent))


@routes.post("/{agent}", body_limit=BODY_LIMIT)
async def call_agent(request: Request, agent: str) -> Answered:
    """One request of JSON-RPC."""
    try:
        rpc: RpcRequest = body_of(RpcRequest, request.body)
    except InvalidInput as error:
        return _failed(None, wire.INVALID_REQUEST, str(error))
    try:
        _check_version(request)
        if rpc.method not in _METHODS:
            raise A2aError(*_REFUSED.get(rpc.method, (wire.NO_METHOD, f"There is no method {rpc.method!r}.")))
        return await _METHODS[rpc.method](request, agent, rpc)
    except PerdureError as error:
        code = wire.code_of(error)
        if code is None:
            raise
        return _failed(rpc.id, code, str(error))


A2A = Protocol("/a2a", Table(routes), answer_of)


async def _send(request: Request, agent: str, rpc: RpcRequest) -> Answered:
    params: SendParams = body_of(SendParams, bytes(rpc.params))
    turn = await _asked(request, agent, params.message)
    task, feed = GivenTask(turn), await feed_of(request, turn)
    if params.configuration.return_immediately:
        return await _told(rpc, task, feed, wrapped=True)
    return Awaited(_ended(rpc, task, feed, wrapped=True))


async def _stream(request: Request, agent: str, rpc: RpcRequest) -> Answered:
    params: SendParams = body_of(SendParams, bytes(rpc.params))
    turn = await _asked(request, agent, params.message)
    return Streamed(turn.chat_id, updates(GivenTask(turn), await feed_of(request, turn), rpc.id))


async def _read(request: Request, _: str, rpc: RpcRequest) -> Answered:
    turn = _turn(rpc)
    return await _told(rpc, GivenTask(turn), await _feed(request, turn))


async def _cancel(request: Request, _: str, rpc: RpcRequest) -> Answered:
    turn = _turn(rpc)
    task, feed = GivenTask(turn), await _feed(request, turn)
    seen = await request.caller.chats.shared(turn.chat_id)
    _take(task, await feed.now())
    if task.ended is not None:
        raise A2aError(wire.NOT_CANCELABLE, "This task is over.")
    await interrupt(request.caller, turn.chat_id, TurnBody(turn=seen.chat.turn))
    return Awaited(_ended(rpc, GivenTask(turn), await feed_of(request, turn)))


async def _subscribe(request: Request, _: str, rpc: RpcRequest) -> Answered:
    turn = _turn(rpc)
    task = GivenTask(turn)
    _take(task, await (await _feed(request, turn)).now())
    if task.ended is not None:
        raise A2aError(wire.UNSUPPORTED, "This task is over. Read it instead.")
    return Streamed(turn.chat_id, updates(GivenTask(turn), await feed_of(request, turn), rpc.id))


Method: TypeAlias = Callable[[Request, str, RpcRequest], Awaitable[Answered]]
_METHODS: dict[str, Method] = {
    "SendMessage": _send,
    "SendStreamingMessage": _stream,
    "GetTask": _read,
    "CancelTask": _cancel,
    "SubscribeToTask": _subscribe,
}
_PUSH = (wire.NO_PUSH, "Nothing is pushed: subscribe to the task, or read it.")
_REFUSED = {
    "ListTasks": (wire.UNSUPPORTED, "Tasks are not listed: a chat shows them."),
    "GetExtendedAgentCard": (wire.NO_EXTENDED_CARD, "There is one card."),
    "CreateTaskPushNotificationConfig": _PUSH,
    "GetTaskPushNotificationConfig": _PUSH,
    "ListTaskPushNotificationConfigs": _PUSH,
    "DeleteTaskPushNotificationConfig": _PUSH,
}


def _check_version(request: Request) -> None:
    wanted = request.call.headers.get("a2a-version", PROTOCOL_VERSION)
    if wanted.split(".")[0] != PROTOCOL_VERSION.split(".")[0]:
        raise A2aError(wire.WRONG_VERSION, f"Version {PROTOCOL_VERSION} is spoken here, not {wanted}.")


async def _model(request: Request, agent: str) -> str | None:
    return None if agent == DEFAULT else await model_of(request, agent)


async def _asked(request: Request, agent: str, message: AgentMessage) -> TurnId:
    """The turn that answers a message: in the chat that its context means, or in a new one that is named by it."""
    if message.task_id:
        raise A2aError(wire.UNSUPPORTED, "A task takes one message. Send the next one in the same context.")
    model = await _model(request, agent)
    kind, name = ("a2a", message.context_id) if message.context_id else ("a2a-message", message.message_id)
    chat_id, seen = await chat_meant(request.caller, kind, name)
    if seen is not None and not message.context_id:
        # The same message again: its sender did not hear that it was taken.
        return TurnId(seen.chat.id, int(seen.chat.turn))
    content = tuple(_part(part) for part in message.parts)
    asked = Asked(given=[user_given(content)], model=model, key=chat_id)
    return await Asking(request.caller, asked).follow(chat_id)


def _part(part: MessagePart) -> ContentPart:
    if part.text is not UNSET:
        return ContentPart(type="text", text=part.text)
    if part.raw is not UNSET:
        kind = part.media_type or "application/octet-stream"
        return ContentPart(type="file", file_data=f"data:{kind};base64,{part.raw}", filename=part.filename)
    if part.data is not UNSET:
        return ContentPart(type="text", text=msgspec.json.encode(part.data).decode())
    raise A2aError(wire.CONTENT_TYPE, "URLs are not fetched. Send the file itself.")


def _turn(rpc: RpcRequest) -> TurnId:
    params: TaskParams = body_of(TaskParams, bytes(rpc.params))
    found = _TASK.fullmatch(params.id)
    if found is None:
        raise NotFound(f"There is no task {params.id!r}.")
    return TurnId(ChatId(UUID(found[1])), int(found[2], 16))


async def _feed(request: Request, turn: TurnId) -> TurnFeed:
    found = await request.caller.chats.oldest(turn.chat_id, after=turn.number - 1, limit=1)
    feed = await feed_of(request, turn)
    if not found or found[0].number != turn.number:
        raise NotFound("Task not found: the message it answered was edited.")
    return feed


def _take(task: GivenTask, events: Iterable[TurnEvent]) -> None:
    for _ in task.add(events):
        pass


async def _told(rpc: RpcRequest, task: GivenTask, feed: TurnFeed, *, wrapped: bool = False) -> Answer:
    _take(task, await feed.now())
    return _result(rpc, task, wrapped=wrapped)


async def _ended(rpc: RpcRequest, task: GivenTask, feed: TurnFeed, *, wrapped: bool = False) -> Answer:
    async for events in feed.batches():
        _take(task, events)
    return _result(rpc, task, wrapped=wrapped)


def _result(rpc: RpcRequest, task: GivenTask, *, wrapped: bool) -> Answer:
    result = {"task": task.object} if wrapped else task.object
    return Answer.json(200, {"jsonrpc": "2.0", "id": rpc.id, "result": result})


def _failed(rpc_id: str | int | None, code: int, message: str) -> Answer:
    return Answer.json(200, {"jsonrpc": "2.0", "id": rpc_id, "error": {"code": code, "message": message}})
