"""The routes of AG-UI: an agent is a model or a template, a thread is a chat."""

from typing import Any, Literal

from msgspec import Struct

from perdure.access.chats import Seen
from perdure.api.decoding import body_of
from perdure.api.errors import answer_of
from perdure.api.routing import Routes, Table
from perdure.api.wire.chats import ClientTool, ClientTools
from perdure.core.chat import AT_REST
from perdure.core.errors import ChatNotFound
from perdure.core.message import Message, Role, ToolCall, ToolResult
from perdure.faces.ag_ui.events import Run, event, finished, frames
from perdure.faces.agents import BODY_LIMIT, decide, feed_of, model_of, questions_in
from perdure.faces.asked import Asked, Given, TurnId, assistant_given, result_given, user_given
from perdure.faces.asking import Asking
from perdure.faces.content import AnyContent, ContentPart, text_of
from perdure.faces.conversation import text_of as said_in
from perdure.faces.face import Answered, Protocol, Request, Streamed
from perdure.faces.finding import PAGE, chat_meant
from perdure.store.tables import messages

routes = Routes("ag-ui")


class ThreadFunction(Struct, frozen=True):
    name: str


class ThreadCall(Struct, frozen=True):
    id: str
    function: ThreadFunction


class ThreadSource(Struct, frozen=True, kw_only=True):
    """Where a file is: in the message itself, or elsewhere."""

    type: Literal["data", "url"]
    value: str
    mimeType: str = ""  # noqa: N815 - as it is on the wire


class ThreadContent(Struct, frozen=True, kw_only=True):
    """A piece of a message: text, a `binary`, or a file of some kind with its `source`."""

    type: str
    text: str = ""
    source: ThreadSource | None = None
    id: str | None = None
    url: str | None = None
    data: str | None = None
    mimeType: str = ""  # noqa: N815 - as it is on the wire
    filename: str | None = None

    @property
    def part(self) -> ContentPart:
        if self.type == "text":
            return ContentPart(type="text", text=self.text)
        data, url, kind = self.data, self.url, self.mimeType
        if self.source is not None:
            data, url = (self.source.value, None) if self.source.type == "data" else (None, self.source.value)
            kind = self.source.mimeType
        sent = f"data:{kind};base64,{data}" if data else url
        return ContentPart(type="file", file_data=sent, file_id=self.id, filename=self.filename)


class ThreadMessage(Struct, frozen=True, kw_only=True):
    role: Literal["user", "assistant", "tool", "system", "developer", "reasoning", "activity"]
    id: str = ""
    content: str | tuple[ThreadContent, ...] | dict[str, Any] | None = None
    """An object where an activity is told, which is nothing that anybody says."""
    toolCalls: tuple[ThreadCall, ...] | None = None  # noqa: N815 - as it is on the wire
    toolCallId: str | None = None  # noqa: N815

    @property
    def said(self) -> AnyContent:
        if isinstance(self.content, tuple):
            return tuple(piece.part for piece in self.content)
        return self.content if isinstance(self.content, str) else None


class PageTool(Struct, frozen=True, kw_only=True):
    name: str
    description: str = ""
    parameters: dict[str, Any] | None = None


class ResumeEntry(Struct, frozen=True, kw_only=True):
    interruptId: str  # noqa: N815 - as it is on the wire
    status: Literal["resolved", "cancelled"]
    payload: Any = None


class RunInput(Struct, frozen=True, kw_only=True):
    threadId: str  # noqa: N815 - as it is on the wire
    runId: str  # noqa: N815
    messages: tuple[ThreadMessage, ...] = ()
    tools: tuple[PageTool, ...] = ()
    resume: tuple[ResumeEntry, ...] | None = None
    """Answers to what the run before asked."""


@routes.post("/{agent}", body_limit=BODY_LIMIT)
async def run_agent(request: Request, agent: str) -> Answered:
    """Say or decide what is new, and follow the answer. With nothing new: show the thread and what is answered."""
    body: RunInput = body_of(RunInput, request.body)
    chat_id, seen = await chat_meant(request.caller, PAGE, body.threadId)
    if body.resume:
        await decide(request, seen, {entry.interruptId: _answer(entry) for entry in body.resume})
        _, seen = await chat_meant(request.caller, PAGE, body.threadId)
        return await _shown(request, body, seen)
    asked = Asked(
        given=_all_given(body),
        system="\n\n".join(text_of(message.said) for message in body.messages if message.role == "system"),
        model=await model_of(request, agent),
        tools=_tools(body.tools),
        key=chat_id,
        joins=True,
    )
    if not asked.new:
        return await _shown(request, body, seen)
    turn = await Asking(request.caller, asked).turn()
    run = Run(body.threadId, body.runId, turn)
    return Streamed(turn.chat_id, frames(run, await feed_of(request, turn), questions_in(request, turn)))


AG_UI = Protocol("/ag-ui", Table(routes), answer_of)


async def _shown(request: Request, body: RunInput, seen: Seen | None) -> Answered:
    if seen is None:
        raise ChatNotFound
    said = await messages.visible(request.caller.rows, seen.chat.id)
    turn = TurnId(seen.chat.id, int(seen.chat.turn))
    run = Run(body.threadId, body.runId, turn)
    if seen.chat.status in AT_REST:
        return Streamed(seen.chat.id, finished(run, _snapshot(said)))
    before = _snapshot([message for message in said if message.number <= turn.number])
    return Streamed(seen.chat.id, frames(run, await feed_of(request, turn), questions_in(request, turn), before=before))


def _answer(entry: ResumeEntry) -> dict[str, Any]:
    return {"action": "accept", "content": entry.payload} if entry.status == "resolved" else {"action": "decline"}


def _all_given(body: RunInput) -> list[Given]:
    """What the page says, without what our own tools did: the page keeps that, too."""
    names = {tool.name for tool in body.tools}
    calls = [call for message in body.messages for call in message.toolCalls or () if call.function.name in names]
    own = frozenset(call.id for call in calls)
    return [given for message in body.messages if (given := _given(message, own)) is not None]


def _given(message: ThreadMessage, own: frozenset[str]) -> Given | None:
    match message.role:
        case "user":
            return user_given(message.said)
        case "assistant":
            return assistant_given(
                text_of(message.said), tuple(call.id for call in message.toolCalls or () if call.id in own)
            )
        case "tool" if message.toolCallId in own:
            return result_given(message.toolCallId or "", text_of(message.said))
        case _:
            return None


def _tools(tools: tuple[PageTool, ...]) -> ClientTools:
    return tuple(ClientTool(tool.name, tool.description, tool.parameters or {}) for tool in tools)


def _snapshot(said: list[Message]) -> bytes:
    """All that was said before, for a page that comes back with nothing."""
    shown = [each for message in said for each in _messages(message)]
    return event("MESSAGES_SNAPSHOT", messages=shown)


def _messages(message: Message) -> list[dict[str, Any]]:
    name = f"{message.number}"
    if message.role is Role.TOOL:
        results = [part for part in message.parts if isinstance(part, ToolResult)]
        return [
            {"id": f"{name}-{part.call_id}", "role": "tool", "toolCallId": part.call_id, "content": part.result}
            for part in results
        ]
    told: dict[str, Any] = {"id": name, "role": message.role, "content": said_in(message)}
    calls = [part for part in message.parts if isinstance(part, ToolCall)]
    if calls:
        told["toolCalls"] = [
            {"id": call.call_id, "type": "function", "function": {"name": call.tool, "arguments": call.args or "{}"}}
            for call in calls
        ]
    return [told]
