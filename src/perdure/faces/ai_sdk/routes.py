"""The routes that `useChat` finds below `/ai`: say something, and come back to what is being answered."""

from collections.abc import Sequence
from typing import Any, Literal

import msgspec
from msgspec import Struct

from perdure.access.chats import Seen
from perdure.api.decoding import body_of
from perdure.api.errors import answer_of
from perdure.api.http import Answer
from perdure.api.routing import Routes, Table
from perdure.core.chat import AT_REST
from perdure.faces.agents import BODY_LIMIT, decide, feed_of, questions_in
from perdure.faces.ai_sdk.stream import MessageStream, chunks
from perdure.faces.asked import Asked, Given, TurnId, assistant_given, own_tools, result_given, user_given
from perdure.faces.asking import Asking
from perdure.faces.content import ContentPart
from perdure.faces.face import Answered, Protocol, Request, Streamed
from perdure.faces.finding import PAGE, chat_meant

_TOOL = "tool-"

routes = Routes("ai")


class UiApproval(Struct, frozen=True, kw_only=True):
    """What the page was asked about a call, and what its person said."""

    id: str
    approved: bool | None = None
    reason: str | None = None


class UiPart(Struct, frozen=True, kw_only=True):
    """A part of a message as the page keeps it."""

    type: str
    text: str | None = None
    url: str | None = None
    mediaType: str | None = None  # noqa: N815 - as it is on the wire
    filename: str | None = None
    toolCallId: str | None = None  # noqa: N815
    state: str | None = None
    output: Any = None
    errorText: str | None = None  # noqa: N815
    approval: UiApproval | None = None


class UiMessage(Struct, frozen=True, kw_only=True):
    role: Literal["system", "user", "assistant"]
    parts: tuple[UiPart, ...] = ()
    id: str = ""


class ChatBody(Struct, frozen=True, kw_only=True):
    """What the SDK's transport sends. `model` is ours: put it into the transport's body."""

    id: str
    messages: tuple[UiMessage, ...]
    trigger: str | None = None
    messageId: str | None = None  # noqa: N815
    """The message that is edited, or answered again."""
    model: str | None = None


@routes.post("/chat", body_limit=BODY_LIMIT)
async def say(request: Request) -> Answered:
    body: ChatBody = body_of(ChatBody, request.body)
    chat_id, seen = await chat_meant(request.caller, PAGE, body.id)
    if decided := _decided(body.messages):
        return await _resumed(request, seen, decided)
    names = own_tools(seen) if seen else frozenset[str]()
    system = [part.text or "" for message in body.messages if message.role == "system" for part in message.parts]
    asked = Asked(
        given=[given for message in body.messages for given in _given(message, names)],
        system="\n\n".join(system),
        model=body.model,
        key=chat_id,
        joins=body.messageId is None,
    )
    return await _streamed(request, await Asking(request.caller, asked).turn())


@routes.get("/chat/{name}/stream")
async def resume(request: Request, name: str) -> Answered:
    """What is being answered, from its beginning. Nothing at rest: the page has it all."""
    _, seen = await chat_meant(request.caller, PAGE, name)
    if seen is None or seen.chat.status in AT_REST:
        return Answer(204)
    return await _streamed(request, TurnId(seen.chat.id, int(seen.chat.turn)))


AI_SDK = Protocol("/ai", Table(routes), answer_of, (("x-vercel-ai-ui-message-stream", "v1"),))


async def _streamed(request: Request, turn: TurnId, approved: frozenset[str] = frozenset()) -> Answered:
    names = own_tools(await request.caller.chats.read(turn.chat_id))
    message = MessageStream(turn, names, approved)
    return Streamed(turn.chat_id, chunks(message, await feed_of(request, turn), questions_in(request, turn)))


async def _resumed(request: Request, seen: Seen | None, decided: Sequence[tuple[str, UiApproval]]) -> Answered:
    await decide(request, seen, {approval.id: _answer(approval) for _, approval in decided})
    assert seen is not None
    return await _streamed(
        request, TurnId(seen.chat.id, int(seen.chat.turn)), frozenset(call_id for call_id, _ in decided)
    )


def _decided(said: Sequence[UiMessage]) -> list[tuple[str, UiApproval]]:
    """The calls that the page was asked about and has answered for, where that is all that is new."""
    if not said or said[-1].role != "assistant":
        return []
    return [
        (part.toolCallId or "", part.approval)
        for part in said[-1].parts
        if part.approval is not None and part.state == "approval-responded"
    ]


def _answer(approval: UiApproval) -> dict[str, Any]:
    decision = "approve" if approval.approved else "deny"
    return {"action": "accept", "content": {"decision": decision, "note": approval.reason or ""}}


def _given(message: UiMessage, names: frozenset[str]) -> list[Given]:
    match message.role:
        case "user":
            return [user_given(tuple(_part(part) for part in message.parts if part.type in ("text", "file")))]
        case "assistant":
            own = [part for part in message.parts if _own(part, names)]
            text = "".join(part.text or "" for part in message.parts if part.type == "text")
            calls = tuple(part.toolCallId or "" for part in own)
            return [assistant_given(text, calls), *(_result(part) for part in own if _answered(part))]
        case _:
            return []


def _own(part: UiPart, names: frozenset[str]) -> bool:
    """Whether it is a call of the page's own tools."""
    return part.type.startswith(_TOOL) and part.type.removeprefix(_TOOL) in names


def _answered(part: UiPart) -> bool:
    return part.state in ("output-available", "output-error")


def _result(part: UiPart) -> Given:
    output = part.errorText or (part.output if isinstance(part.output, str) else _text(part.output))
    return result_given(part.toolCallId or "", output)


def _text(output: object) -> str:
    return msgspec.json.encode(output).decode()


def _part(part: UiPart) -> ContentPart:
    if part.type == "text":
        return ContentPart(type="text", text=part.text or "")
    return ContentPart(type="file", file_data=part.url, filename=part.filename)
