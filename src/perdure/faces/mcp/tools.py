"""The tools that other agents get: begin a chat, go on in it, wait for it, read it, stop it; list chats and models."""

import hashlib
from collections.abc import Awaitable, Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from typing import Annotated, Any, TypeAlias
from uuid import UUID, uuid4

import msgspec
from msgspec import Meta, Struct

from perdure.api.caller import Caller
from perdure.api.decoding import body_of, fitting
from perdure.api.http import Answer
from perdure.api.idempotency import Claim, IdempotencyKeys
from perdure.api.routes.chats import begin_chat, list_chats
from perdure.api.routes.control import interrupt
from perdure.api.routes.messages import routes as message_routes
from perdure.api.routes.messages import send_message
from perdure.api.wire.chats import CreateBody, ListQuery, Name, Number, Prompt, SendBody, Sent, WorkspaceWish
from perdure.api.wire.content import TextContent
from perdure.api.wire.control import TurnBody
from perdure.core.errors import ChatNotFound, InvalidInput, NotFound, TransitionNotAllowed, Validation
from perdure.core.ids import ChatId, ModelName
from perdure.core.message import Message, Role, ToolCall
from perdure.core.public import public_message
from perdure.faces.asked import NoModel, TurnId
from perdure.faces.asking import AGENT
from perdure.faces.conversation import text_of
from perdure.faces.finding import keyed_chat

WAIT_S = 45
"""Most clients give a call a minute."""
LONGEST_WAIT_S = 600
PAGE = 50
_SEND = next(route for route in message_routes.table if route.handler is send_message)
_sent = msgspec.json.Decoder(Sent)


@dataclass(frozen=True, slots=True)
class Said:
    """What a call comes to at once."""

    text: str
    structured: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Turn:
    """A call that comes to what a turn comes to."""

    id: TurnId
    wait_s: float = WAIT_S
    """How long a client waits that takes no tasks."""


Outcome: TypeAlias = Said | Turn
Handler: TypeAlias = Callable[[Caller, Any], Awaitable[Outcome]]


@dataclass(frozen=True, slots=True, kw_only=True)
class ChatTool:
    name: str
    title: str
    description: str
    arguments: type[Struct]
    handler: Handler
    reads: bool = False
    tasks: bool = False
    """Whether a call of it may be a task."""

    async def call(self, caller: Caller, arguments: Any) -> Outcome:
        return await self.handler(
            caller, body_of(self.arguments, msgspec.json.encode({} if arguments is None else arguments))
        )

    @property
    def listed(self) -> dict[str, Any]:
        hints = {
            "title": self.title,
            "readOnlyHint": self.reads,
            "destructiveHint": False,
            "openWorldHint": not self.reads,
        }
        return {
            "name": self.name,
            "title": self.title,
            "description": self.description,
            "inputSchema": _schema(self.arguments),
            "annotations": hints,
        }


def _schema(arguments: type[Struct]) -> dict[str, Any]:
    (schema,), definitions = msgspec.json.schema_components((arguments,))
    kept = definitions[schema["$ref"].rpartition("/")[2]]
    return {name: value for name, value in kept.items() if name != "title"}


Text = Annotated[str, Meta(min_length=1, max_length=200_000, description="What is said to the agent.")]
ChatName = Annotated[str, Meta(max_length=64, description="The chat, by its id.")]
Wait = Annotated[
    float,
    Meta(
        ge=0,
        le=LONGEST_WAIT_S,
        description="How many seconds to wait for the answer. After that the call says that the agent is still at "
        "work; wait_for_chat waits on. Clients that take tasks do not need it.",
    ),
]
Key = Annotated[
    str,
    Meta(
        min_length=1,
        max_length=200,
        pattern=r"^[!-~]*$",
        description="A name of your own for this call. The same call with the same name again, such as after a lost "
        "connection, comes to the same and does nothing twice.",
    ),
]
Model = Annotated[Name, Meta(description="A model or an agent, as list_models has it. Without it the default.")]


class BeginArguments(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    message: Text
    model: Model | None = None
    system_prompt: Annotated[Prompt, Meta(description="Instructions that hold for the whole chat.")] | None = None
    key: Key | None = None
    wait_s: Wait = WAIT_S


class ContinueArguments(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    chat_id: ChatName
    message: Text
    model: Model | None = None
    key: Key | None = None
    wait_s: Wait = WAIT_S


class WaitArguments(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    chat_id: ChatName
    wait_s: Wait = WAIT_S


class ReadArguments(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    chat_id: ChatName
    after: Annotated[Number, Meta(description="Only messages after this number.")] = 0
    limit: Annotated[int, Meta(ge=1, le=200, description="How many messages.")] = PAGE


class StopArguments(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    chat_id: ChatName


class ListArguments(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    query: (
        Annotated[str, Meta(max_length=1_000, description="Words that the chats say. Without it the newest.")] | None
    ) = None
    cursor: Annotated[str, Meta(max_length=400, description="Where the page before ended.")] | None = None
    limit: Annotated[int, Meta(ge=1, le=200, description="How many chats.")] = PAGE


class NoArguments(Struct, frozen=True, forbid_unknown_fields=True):
    pass


def chat_named(text: str) -> ChatId:
    try:
        return ChatId(UUID(text))
    except ValueError:
        raise ChatNotFound from None


async def begin(caller: Caller, arguments: BeginArguments) -> Outcome:
    chosen = arguments.model or ""
    template = chosen.removeprefix(AGENT) if chosen.startswith(AGENT) else None
    model = None if template is not None else await _model(caller, arguments.model)
    body = CreateBody(
        content=(TextContent(arguments.message),),
        model=model,
        system_prompt=arguments.system_prompt,
        workspace=WorkspaceWish(template) if template else None,
    )
    chat_id = ChatId(uuid4())
    if arguments.key is not None:
        chat_id = keyed_chat(caller.actor.user_id, f"mcp:{arguments.key}")
        if (known := await _begun(caller, chat_id, arguments.message)) is not None:
            return Turn(known, arguments.wait_s)
    try:
        created = await begin_chat(caller, fitting(body), chat_id=chat_id)
    except TransitionNotAllowed:
        # The same call came first at another replica.
        known = await _begun(caller, chat_id, arguments.message)
        if known is None:
            raise
        return Turn(known, arguments.wait_s)
    assert created.message is not None
    return Turn(TurnId(created.chat.id, created.message.number), arguments.wait_s)


async def _begun(caller: Caller, chat_id: ChatId, message: str) -> TurnId | None:
    """The first turn of a chat, if there is one."""
    with suppress(ChatNotFound):
        await caller.chats.own(chat_id)
        for said in await caller.chats.oldest(chat_id, after=0, limit=PAGE):
            if said.role is Role.USER:
                if text_of(said).strip() != message.strip():
                    raise InvalidInput("This key was used for another message.", Validation("key", "is taken"))
                return TurnId(chat_id, said.number)
    return None


async def go_on(caller: Caller, arguments: ContinueArguments) -> Outcome:
    chat_id, model = chat_named(arguments.chat_id), await _model(caller, arguments.model)
    body = SendBody(content=(TextContent(arguments.message),), model=model)
    sent = await _sent_once(caller, chat_id, fitting(body), arguments.key)
    if sent.message is None:
        text = "The chat is still at work on something else. The message waits in its queue: call wait_for_chat."
        return Said(text, {"chat_id": str(chat_id), "status": "queued"})
    return Turn(TurnId(chat_id, sent.message.number), arguments.wait_s)


async def _sent_once(caller: Caller, chat_id: ChatId, body: SendBody, key: str | None) -> Sent:
    if key is None:
        return await send_message(caller, chat_id, body)
    said = msgspec.json.encode((str(chat_id), body))
    claim = Claim(_SEND, f"mcp:{key}", hashlib.sha256(said).digest())
    keyed = Caller(caller.services, caller.rows, caller.call, claim)

    async def send(_: object) -> Answer:
        return Answer.json(_SEND.status, await send_message(keyed, chat_id, body))

    answer = await IdempotencyKeys(caller.services.keyring).once(claim, caller.rows, send)
    keyed.announcements.make()
    return _sent.decode(answer.body)


async def _model(caller: Caller, name: str | None) -> ModelName | None:
    if name is None:
        return None
    if await caller.config.model(caller.actor.organisation_id, ModelName(name)) is None:
        raise NoModel(name)
    return ModelName(name)


async def wait(caller: Caller, arguments: WaitArguments) -> Outcome:
    seen = await caller.chats.read(chat_named(arguments.chat_id))
    if not seen.chat.turn:
        raise NotFound("This chat has no messages yet.")
    return Turn(TurnId(seen.chat.id, int(seen.chat.turn)), arguments.wait_s)


async def read(caller: Caller, arguments: ReadArguments) -> Outcome:
    seen = await caller.chats.read(chat_named(arguments.chat_id))
    found = await caller.chats.oldest(seen.chat.id, after=arguments.after, limit=arguments.limit)
    said = [public_message(message) for message in found if message.role in (Role.USER, Role.ASSISTANT)]
    shown = [_message(message) for message in said]
    text = "\n\n".join(f"{message['role']}: {message['text']}" for message in shown if message["text"])
    card = seen.card
    structured = {
        "chat_id": str(card.id),
        "title": card.title,
        "status": card.status.value,
        "messages": shown,
        "next_after": found[-1].number if len(found) == arguments.limit else None,
    }
    return Said(text or "Nothing was said here.", structured)


def _message(message: Message) -> dict[str, Any]:
    calls = [{"tool": part.tool, "args": part.args} for part in message.parts if isinstance(part, ToolCall)]
    told = {"number": message.number, "role": message.role.value, "text": text_of(message)}
    return {**told, "calls": calls} if calls else told


async def stop(caller: Caller, arguments: StopArguments) -> Outcome:
    chat_id = chat_named(arguments.chat_id)
    moved = await interrupt(caller, chat_id, TurnBody())
    return Said("The agent stops. What it said so far is kept.", _chat(moved.chat))


async def listing(caller: Caller, arguments: ListArguments) -> Outcome:
    page = await list_chats(caller, ListQuery(q=arguments.query, cursor=arguments.cursor, limit=arguments.limit))
    lines = [f"{card.id} {card.title or 'Untitled'} ({card.status.value})" for card in page.items]
    structured = {"chats": [_chat(card) for card in page.items], "next_cursor": page.next_cursor}
    return Said("\n".join(lines) or "There are no chats.", structured)


def _chat(card: Any) -> dict[str, Any]:
    return {
        "chat_id": str(card.id),
        "title": card.title,
        "status": card.status.value,
        "updated_at": card.updated_at.isoformat(),
    }


async def models(caller: Caller, _: NoArguments) -> Outcome:
    """Models, the default one first; and templates, each an agent with a workspace of its own."""
    snapshot = await caller.config.of(caller.actor.organisation_id)
    usable = [model for model in snapshot.models.values() if model.usable]
    usable.sort(key=lambda model: (model is not snapshot.default, model.name))
    templates = await caller.services.workspaces.templates.all(caller.actor.organisation_id)
    names = [*(model.name for model in usable), *(f"{AGENT}{template.name}" for template in templates)]
    return Said("\n".join(names) or "No model is set up.", {"models": names})


TOOLS = (
    ChatTool(
        name="begin_chat",
        title="Begin a chat",
        description="Begin a chat with an agent and get its answer. The chat lasts: nothing is lost if this "
        "connection, the server or you end, and continue_chat goes on in it.",
        arguments=BeginArguments,
        handler=begin,
        tasks=True,
    ),
    ChatTool(
        name="continue_chat",
        title="Say something in a chat",
        description="Say something more in a chat and get the agent's answer. A chat that is at work queues it.",
        arguments=ContinueArguments,
        handler=go_on,
        tasks=True,
    ),
    ChatTool(
        name="wait_for_chat",
        title="Wait for a chat",
        description="Wait until the agent of a chat is done, and get its answer.",
        arguments=WaitArguments,
        handler=wait,
        reads=True,
        tasks=True,
    ),
    ChatTool(
        name="read_chat",
        title="Read a chat",
        description="Read what was said in a chat, oldest first.",
        arguments=ReadArguments,
        handler=read,
        reads=True,
    ),
    ChatTool(
        name="stop_chat",
        title="Stop a chat",
        description="Stop what the agent of a chat is doing. What it said so far is kept.",
        arguments=StopArguments,
        handler=stop,
    ),
    ChatTool(
        name="list_chats",
        title="List chats",
        description="List the chats that you may read: the newest, or those that say certain words.",
        arguments=ListArguments,
        handler=listing,
        reads=True,
    ),
    ChatTool(
        name="list_models",
        title="List models",
        description="List the models and agents that a chat can use, the default one first.",
        arguments=NoArguments,
        handler=models,
        reads=True,
    ),
)
