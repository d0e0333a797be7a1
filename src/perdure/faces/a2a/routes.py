"""The routes of A2A: an agent is a model or a template, a context is a chat, a task is a turn."""

import re
from collections.abc import Awaitable, Callable
from typing import Any, TypeAlias
from uuid import UUID

import msgspec
from msgspec import UNSET

from perdure.api.decoding import body_of
from perdure.api.errors import answer_of
from perdure.api.http import Answer
from perdure.api.routes.control import interrupt
from perdure.api.routing import Routes, Table
from perdure.api.wire.control import TurnBody
from perdure.core.action import ActionKind
from perdure.core.errors import InvalidInput, NotFound, PerdureError
from perdure.core.ids import ChatId
from perdure.faces.a2a import push, wire
from perdure.faces.a2a.card import DEFAULT, PROTOCOL_VERSION, card_of
from perdure.faces.a2a.push import PushConfig, PushParams
from perdure.faces.a2a.task import GivenTask, updates
from perdure.faces.a2a.wire import A2aError, AgentMessage, MessagePart, RpcRequest, SendParams, TaskParams
from perdure.faces.agents import BODY_LIMIT, Questions, decide, feed_of, model_of, questions_in
from perdure.faces.asked import Asked, TurnId, user_given
from perdure.faces.asking import Asking
from perdure.faces.content import ContentPart
from perdure.faces.face import Answered, Awaited, Protocol, Request, Streamed
from perdure.faces.finding import chat_meant
from perdure.faces.following import TurnFeed

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
    turn = await _given(request, agent, params)
    task, feed, questions = GivenTask(turn), await feed_of(request, turn), questions_in(request, turn)
    if params.configuration.return_immediately:
        return await _told(rpc, task, feed, questions, wrapped=True)
    return Awaited(_ended(rpc, task, feed, questions, wrapped=True))


async def _stream(request: Request, agent: str, rpc: RpcRequest) -> Answered:
    params: SendParams = body_of(SendParams, bytes(rpc.params))
    turn = await _given(request, agent, params)
    return await _followed(request, rpc, GivenTask(turn), turn)


async def _followed(request: Request, rpc: RpcRequest, task: GivenTask, turn: TurnId) -> Answered:
    feed, questions = await feed_of(request, turn), questions_in(request, turn)
    return Streamed(turn.chat_id, updates(task, feed, rpc.id, questions))


async def _read(request: Request, _: str, rpc: RpcRequest) -> Answered:
    turn = _turn(rpc)
    return await _told(rpc, GivenTask(turn), await _feed(request, turn), questions_in(request, turn))


async def _cancel(request: Request, _: str, rpc: RpcRequest) -> Answered:
    turn = _turn(rpc)
    task, feed = GivenTask(turn), await _feed(request, turn)
    seen = await request.caller.chats.shared(turn.chat_id)
    task.take(await feed.now())
    if task.ended is not None:
        raise A2aError(wire.NOT_CANCELABLE, "This task is over.")
    await interrupt(request.caller, turn.chat_id, TurnBody(turn=seen.chat.turn))
    return Awaited(_ended(rpc, GivenTask(turn), await feed_of(request, turn), questions_in(request, turn)))


async def _subscribe(request: Request, _: str, rpc: RpcRequest) -> Answered:
    turn = _turn(rpc)
    task = GivenTask(turn)
    task.take(await (await _feed(request, turn)).now())
    if task.ended is not None:
        raise A2aError(wire.UNSUPPORTED, "This task is over. Read it instead.")
    return await _followed(request, rpc, GivenTask(turn), turn)


async def _add_push(request: Request, _: str, rpc: RpcRequest) -> Answered:
    config: PushConfig = body_of(PushConfig, bytes(rpc.params))
    turn = await _told_of(request, config.task_id)
    return _answer(rpc, await push.add(request.caller, turn, config))


async def _read_push(request: Request, _: str, rpc: RpcRequest) -> Answered:
    params, turn = await _pushed(request, rpc)
    return _answer(rpc, await push.one(request.caller, turn, params.id))


async def _list_pushes(request: Request, _: str, rpc: RpcRequest) -> Answered:
    _pushes, turn = await _pushed(request, rpc)
    return _answer(rpc, {"configs": await push.listed(request.caller, turn), "nextPageToken": ""})


async def _remove_push(request: Request, _: str, rpc: RpcRequest) -> Answered:
    params, turn = await _pushed(request, rpc)
    await push.remove(request.caller, turn, params.id)
    return _answer(rpc, {})


async def _pushed(request: Request, rpc: RpcRequest) -> tuple[PushParams, TurnId]:
    params: PushParams = body_of(PushParams, bytes(rpc.params))
    return params, await _told_of(request, params.task_id)


async def _told_of(request: Request, name: str) -> TurnId:
    """The task that somebody is to be told of, where they may read it."""
    turn = _turn_named(name)
    await _feed(request, turn)
    return turn


Method: TypeAlias = Callable[[Request, str, RpcRequest], Awaitable[Answered]]
_METHODS: dict[str, Method] = {
    "SendMessage": _send,
    "SendStreamingMessage": _stream,
    "GetTask": _read,
    "CancelTask": _cancel,
    "SubscribeToTask": _subscribe,
    "CreateTaskPushNotificationConfig": _add_push,
    "GetTaskPushNotificationConfig": _read_push,
    "ListTaskPushNotificationConfigs": _list_pushes,
    "DeleteTaskPushNotificationConfig": _remove_push,
}
_REFUSED = {
    "ListTasks": (wire.UNSUPPORTED, "Tasks are not listed: a chat shows them."),
    "GetExtendedAgentCard": (wire.NO_EXTENDED_CARD, "There is one card."),
}


def _check_version(request: Request) -> None:
    wanted = request.call.headers.get("a2a-version", PROTOCOL_VERSION)
    if wanted.split(".")[0] != PROTOCOL_VERSION.split(".")[0]:
        raise A2aError(wire.WRONG_VERSION, f"Version {PROTOCOL_VERSION} is spoken here, not {wanted}.")


async def _model(request: Request, agent: str) -> str | None:
    return None if agent == DEFAULT else await model_of(request, agent)


async def _given(request: Request, agent: str, params: SendParams) -> TurnId:
    """The turn that answers, and whoever is to be told how it goes."""
    message, pushed = params.message, params.configuration.task_push_notification_config
    turn = await (_decided(request, message) if message.task_id else _asked(request, agent, message))
    if pushed is not None:
        await push.add(request.caller, turn, pushed)
    return turn


async def _decided(request: Request, message: AgentMessage) -> TurnId:
    """The turn that goes on with what a message answers to its questions: each by its key, or all with one word."""
    turn = _turn_named(message.task_id or "")
    await _feed(request, turn)
    open_now = await questions_in(request, turn)()
    if not open_now:
        raise A2aError(wire.UNSUPPORTED, "This task asks nothing. Send what you have to say in its context.")
    answers: dict[str, Any] = {}
    for part in message.parts:
        if part.text is not UNSET:
            answers |= {question.key: {"decision": part.text.strip().lower()} for question in open_now}
        elif isinstance(part.data, dict):
            answers |= part.data  # pyright: ignore[reportUnknownMemberType]
    forms: dict[str, Any] = {key: {"action": "accept", "content": content} for key, content in answers.items()}
    for question in open_now:
        if question.kind is ActionKind.ELICITATION and answers.get(question.key) == {"decision": "decline"}:
            forms[question.key] = {"action": "decline"}
    await decide(request, await request.caller.chats.read(turn.chat_id), forms)
    return turn


async def _asked(request: Request, agent: str, message: AgentMessage) -> TurnId:
    """The turn that answers a message: in the chat that its context means, or in a new one that is named by it."""
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
    return _turn_named(params.id)


def _turn_named(name: str) -> TurnId:
    found = _TASK.fullmatch(name)
    if found is None:
        raise NotFound(f"There is no task {name!r}.")
    return TurnId(ChatId(UUID(found[1])), int(found[2], 16))


async def _feed(request: Request, turn: TurnId) -> TurnFeed:
    found = await request.caller.chats.oldest(turn.chat_id, after=turn.number - 1, limit=1)
    feed = await feed_of(request, turn)
    if not found or found[0].number != turn.number:
        raise NotFound("Task not found: the message it answered was edited.")
    return feed


async def _told(
    rpc: RpcRequest, task: GivenTask, feed: TurnFeed, questions: Questions, *, wrapped: bool = False
) -> Answer:
    task.take(await feed.pausing().now())
    return await _result(rpc, task, questions, wrapped=wrapped)


async def _ended(
    rpc: RpcRequest, task: GivenTask, feed: TurnFeed, questions: Questions, *, wrapped: bool = False
) -> Answer:
    async for events in feed.pausing().batches():
        task.take(events)
    return await _result(rpc, task, questions, wrapped=wrapped)


async def _result(rpc: RpcRequest, task: GivenTask, questions: Questions, *, wrapped: bool) -> Answer:
    if task.asks:
        task.asking(await questions())
    return _answer(rpc, {"task": task.object} if wrapped else task.object)


def _answer(rpc: RpcRequest, result: object) -> Answer:
    return Answer.json(200, {"jsonrpc": "2.0", "id": rpc.id, "result": result})


def _failed(rpc_id: str | int | None, code: int, message: str) -> Answer:
    return Answer.json(200, {"jsonrpc": "2.0", "id": rpc_id, "error": {"code": code, "message": message}})
