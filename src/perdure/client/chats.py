"""Chats as a program uses them: say something, follow what happens, answer what is asked."""

import asyncio
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any
from uuid import UUID, uuid4

from msgspec import Struct, json, to_builtins

from perdure.client.connection import ApiError, Connection
from perdure.client.stream import EventStream, Transport
from perdure.client.tools import ClientTool
from perdure.core.action import ActionKind
from perdure.core.chat import Busy, Status
from perdure.core.events import (
    ActionRequired,
    AnyEvent,
    ChatCard,
    ErrorEvent,
    PendingAction,
    QueuedMessage,
    StatusEvent,
)
from perdure.core.failure import ChatError
from perdure.core.message import AnyPart, Message, Role, Text

Content = str | Sequence[AnyPart]


class Created(Struct, frozen=True, kw_only=True):
    chat: ChatCard
    cursor: str
    message: Message | None = None


class Sent(Struct, frozen=True, kw_only=True):
    """Where a message went: into the history, or into the queue."""

    chat: ChatCard
    message: Message | None = None
    queued: QueuedMessage | None = None


class Moved(Struct, frozen=True):
    chat: ChatCard


class ChatView(Struct, frozen=True, kw_only=True):
    chat: ChatCard
    cursor: str
    queue: tuple[QueuedMessage, ...] = ()
    action: PendingAction | None = None


class ChatPage(Struct, frozen=True, kw_only=True):
    items: tuple[ChatCard, ...]
    related: tuple[ChatCard, ...] = ()
    next_cursor: str | None = None


class Agents(Struct, frozen=True):
    items: tuple[ChatCard, ...]


class MessagePage(Struct, frozen=True, kw_only=True):
    items: tuple[Message, ...]
    cursor: str


@dataclass(frozen=True, slots=True)
class Turn:
    """How a turn came to rest."""

    status: Status
    messages: tuple[Message, ...]
    """What the turn added, its user message first."""
    error: ChatError | None = None
    action: PendingAction | None = None

    @property
    def text(self) -> str:
        """What the agent said last."""
        answers = [message for message in self.messages if message.role is Role.ASSISTANT]
        return "".join(part.text for part in answers[-1].parts if isinstance(part, Text)) if answers else ""


class Chats:
    """The chats that the caller may see."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection

    async def create(self, content: Content, *, tools: Iterable[ClientTool] = (), **options: Any) -> "Chat":
        """Begin a chat. Options are those of `POST /chats`: model, effort, title, labels, system_prompt and more."""
        tools = tuple(tools)
        body = {"content": _content(content), **options}
        if tools:
            body["client_tools"] = [each.declared for each in tools]
        created = await self._connection.post("/chats", Created, body)
        return Chat(self._connection, created.chat, tools)

    async def get(self, chat_id: UUID | str, *, tools: Iterable[ClientTool] = ()) -> "Chat":
        view = await self._connection.get(f"/chats/{chat_id}", ChatView)
        return Chat(self._connection, view.chat, tuple(tools))

    async def list(self, q: str | None = None, *, cursor: str | None = None, limit: int = 50) -> ChatPage:
        return await self._connection.get("/chats", ChatPage, q=q, cursor=cursor, limit=limit)


class Chat:
    """One chat. `card` is what was last known of it."""

    def __init__(self, connection: Connection, card: ChatCard, tools: tuple[ClientTool, ...] = ()) -> None:
        self.card = card
        self._connection = connection
        self._tools = {each.name: each for each in tools}
        self._path = f"/chats/{card.id}"

    @property
    def id(self) -> UUID:
        return self.card.id

    async def send(self, content: Content, *, busy: Busy = Busy.QUEUE, **options: Any) -> Sent:
        """Say something. A busy chat queues it, is steered by it at its next step, or is interrupted."""
        body = {"content": _content(content), "busy": busy.value, "client_id": str(uuid4()), **options}
        sent = await self._connection.post(f"{self._path}/messages", Sent, body)
        self.card = sent.chat
        return sent

    async def edit(self, number: int, content: Content, **options: Any) -> Sent:
        """Say it differently: that message and all that followed give way."""
        body = {"content": _content(content), **options}
        return await self._connection.call("PUT", f"{self._path}/messages/{number}", Sent, body=body)

    async def interrupt(self) -> None:
        """Stop. What the agent said so far is kept."""
        await self._control("interrupt")

    async def agents(self) -> tuple[ChatCard, ...]:
        """The chats that this chat's agent started."""
        return (await self._connection.get(f"{self._path}/children", Agents)).items

    async def retry(self) -> None:
        await self._control("retry")

    async def compact(self) -> None:
        await self._control("compact")

    async def act(self, **body: Any) -> None:
        """Answer what a parked chat asks: `decisions=[...]`, `limit=...` or `decline=True`."""
        await self._control("action", body)

    async def messages(self, *, before: int | None = None, limit: int = 50) -> tuple[Message, ...]:
        """A page of the history, newest first."""
        page = await self._connection.get(f"{self._path}/messages", MessagePage, before=before, limit=limit)
        return page.items

    def stream(self, cursor: str | None = None, *, transport: Transport = Transport.WEBSOCKET) -> EventStream:
        """Every event from the cursor on, or from the newest messages, whatever happens to the connection."""
        return EventStream(self._connection, self.id, cursor=cursor, transport=transport)

    async def answer(self, *, on_event: Callable[[AnyEvent], None] = lambda _: None) -> Turn:
        """Follow the turn until the chat rests or asks for something that no tool of ours answers."""
        stream = self.stream()
        events = aiter(stream)
        try:
            async for event in events:
                on_event(event)
                if isinstance(event, ActionRequired):
                    await self._answer_calls(event.action)
                if isinstance(event, StatusEvent | ErrorEvent | ActionRequired) and self._rests(stream):
                    break
        finally:
            await events.aclose()
        return _turn(stream)

    def _rests(self, stream: EventStream) -> bool:
        told = stream.transcript
        if told.status is Status.REQUIRES_ACTION:
            return told.action is not None and not self._answers(told.action)
        # What went wrong is told after the status.
        return told.status is Status.WAITING or (told.status is Status.ERROR and told.error is not None)

    def _answers(self, action: PendingAction) -> bool:
        return action.kind is ActionKind.CLIENT_TOOL and all(call.tool in self._tools for call in action.calls)

    async def _answer_calls(self, action: PendingAction | None) -> None:
        if action is None or not self._answers(action):
            return
        outcomes = await asyncio.gather(*(self._tools[call.tool].call(call.args) for call in action.calls))
        results = [
            {"call_id": call.call_id, "output": output, "is_error": wrong}
            for call, (output, wrong) in zip(action.calls, outcomes, strict=True)
        ]
        try:
            await self._connection.post(f"{self._path}/tool-results", Moved, {"results": results})
        except ApiError as error:
            # Somebody else answered first, or the deadline did.
            if error.status != 409:
                raise

    async def _control(self, verb: str, body: object = None) -> None:
        moved = await self._connection.post(f"{self._path}/{verb}", Moved, body or {})
        self.card = moved.chat


def _content(content: Content) -> list[Any]:
    parts = (Text(content),) if isinstance(content, str) else content
    return [to_builtins(json.decode(json.encode(part))) for part in parts]


def _turn(stream: EventStream) -> Turn:
    told = stream.transcript
    messages = told.messages
    begun = max((at for at, message in enumerate(messages) if message.role is Role.USER), default=0)
    assert told.status is not None
    return Turn(told.status, tuple(messages[begun:]), told.error, told.action)
