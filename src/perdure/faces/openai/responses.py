"""Responses: from a request to what is asked, and from a turn's events to numbered stream events."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

import msgspec

from perdure.api.wire.chats import ClientTools
from perdure.core.ids import ChatId
from perdure.core.message import Effort, ToolCall, ToolResult, Usage
from perdure.faces.asked import Asked, Given, TurnId, assistant_given, result_given, user_given
from perdure.faces.content import text_of
from perdure.faces.delta import NumberedFrame, numbered_frame
from perdure.faces.openai.errors import failure_of
from perdure.faces.openai.ids import conversation_id, item_id, response_id
from perdure.faces.openai.items import output_text
from perdure.faces.openai.wire import InputItem, ResponseBody, client_tools, effort_of
from perdure.faces.turn import Answered, Called, Closed, Ended, Opened, Outcome, Piece, Returned, TextKind, TurnEvent

_STATUS = {
    Outcome.COMPLETED: "completed",
    Outcome.CALLS: "completed",
    Outcome.LENGTH: "incomplete",
    Outcome.FILTERED: "incomplete",
    Outcome.STOPPED: "cancelled",
    Outcome.REPLACED: "cancelled",
    Outcome.FAILED: "failed",
}
_LAST_EVENT = {"completed": "completed", "failed": "failed"}
_INCOMPLETE = {Outcome.LENGTH: "max_output_tokens", Outcome.FILTERED: "content_filter"}
_encoder = msgspec.json.Encoder()


def asked_of(body: ResponseBody, key: ChatId | None) -> Asked:
    items = input_items(body)
    system = [text_of(item.content) for item in items if item.role in ("system", "developer")]
    return Asked(
        given=[given for item in items if (given := given_of(item)) is not None],
        system="\n\n".join(filter(None, (body.instructions, *system))),
        model=body.model,
        effort=effort_of(body.reasoning.effort if body.reasoning else None),
        tools=client_tools(body.tools),
        user=body.user or "",
        key=key,
        client_id=f"openai:{'background' if body.background else ''}:{body.previous_response_id or ''}",
    )


def input_items(body: ResponseBody) -> tuple[InputItem, ...]:
    return (InputItem(role="user", content=body.input),) if isinstance(body.input, str) else body.input


def origin_of(client_id: str | None) -> tuple[bool, str | None]:
    """Whether a message was sent to be answered in the background, and after which response."""
    kind, _, rest = (client_id or "").partition(":")
    background, _, previous = rest.partition(":")
    return (background == "background", previous or None) if kind == "openai" else (False, None)


def given_of(item: InputItem) -> Given | None:
    """What an item says. Thoughts, and calls of tools that are ours, are in the chat already."""
    match item.type, item.role:
        case "message", "user":
            return user_given(item.content)
        case "message", "assistant":
            return assistant_given(text_of(item.content))
        case "item_reference", _:
            return assistant_given("")
        case "function_call", _:
            return assistant_given("", (item.call_id or "",))
        case "function_call_output", _:
            return result_given(item.call_id or "", text_of(item.output))
        case _:
            return None


@dataclass(frozen=True, slots=True, kw_only=True)
class Head:
    """What is known of a response before anything is answered."""

    turn: TurnId
    created: int
    model: str
    effort: Effort | None
    tools: ClientTools
    previous: str | None = None
    background: bool = False
    metadata: Mapping[str, str] = field(default_factory=dict[str, str])


class Response:
    """Takes the events of a turn, and is the response so far. Its events are numbered from 0."""

    def __init__(self, head: Head, *, shows_tools: bool = True) -> None:
        self._head = head
        self._own_tools = frozenset(tool.name for tool in head.tools)
        self._shows_tools = shows_tools
        self._output: list[dict[str, Any]] = []
        self._running: dict[str, int] = {}
        """Calls of our own tools that have not returned, by id, and their place."""
        self._usage = Usage()
        self._number = 0
        self._more: NumberedFrame | None = None
        """Makes the frames of the text that is open."""
        self._answered: int | None = None
        """When the newest answer was there."""
        self.ended: Ended | None = None

    @property
    def status(self) -> str:
        return "in_progress" if self.ended is None else _STATUS[self.ended.outcome]

    def begun(self) -> list[bytes]:
        return [self._event(f"response.{name}", response=self.object) for name in ("created", "in_progress")]

    def add(self, events: Iterable[TurnEvent]) -> list[bytes]:
        frames: list[bytes] = []
        for event in events:
            if isinstance(event, Piece):
                frames.append(self._piece(event))
            else:
                frames += self._frames(event)
        return frames

    def _piece(self, piece: Piece) -> bytes:
        if self._more is None:
            kind, place = piece.kind, self._place(piece.kind)
            name = "output_text" if kind is TextKind.TEXT else "reasoning_summary_text"
            more: dict[str, object] = {} if kind is TextKind.REASONING else {"logprobs": []}
            self._more = numbered_frame(
                lambda number, text: _frame(f"response.{name}.delta", number, {**place, "delta": text, **more})
            )
        return self._more(self._next(), piece.text)

    def _frames(self, event: TurnEvent) -> Iterator[bytes]:
        match event:
            case Opened(kind=kind):
                self._more = None
                yield from self._opened(kind)
            case Closed():
                yield from self._closed(event)
            case Called(call=call) if call.tool in self._own_tools:
                yield from self._called(call)
            case Called(call=call) if self._shows_tools:
                yield from self._works(call)
            case Returned(result=result):
                yield from self._returned(result)
            case Answered(message=message):
                self._usage += message.usage or Usage()
                self._answered = int(message.created_at.timestamp())
            case Ended():
                self.ended = event
                name = _LAST_EVENT.get(self.status, "incomplete")
                yield self._event(f"response.{name}", response=self.object)
            case _:
                pass

    def _opened(self, kind: TextKind) -> Iterator[bytes]:
        if kind is TextKind.TEXT:
            yield self._added({"id": self._name("msg"), "type": "message", "role": "assistant", "content": []})
            part = output_text("")
            yield self._event("response.content_part.added", **self._place(kind), part=part)
        else:
            yield self._added({"id": self._name("rs"), "type": "reasoning", "summary": []})
            part = {"type": "summary_text", "text": ""}
            yield self._event("response.reasoning_summary_part.added", **self._place(kind), part=part)

    def _closed(self, closed: Closed) -> Iterator[bytes]:
        place, status = self._place(closed.kind), "completed" if closed.whole else "incomplete"
        if closed.kind is TextKind.TEXT:
            part = output_text(closed.text)
            yield self._event("response.output_text.done", **place, text=closed.text, logprobs=[])
            yield self._event("response.content_part.done", **place, part=part)
            yield self._done(len(self._output) - 1, content=[part], status=status)
        else:
            part = {"type": "summary_text", "text": closed.text}
            yield self._event("response.reasoning_summary_text.done", **place, text=closed.text)
            yield self._event("response.reasoning_summary_part.done", **place, part=part)
            yield self._done(len(self._output) - 1, summary=[part], status=status)

    def _called(self, call: ToolCall) -> Iterator[bytes]:
        arguments = call.args or "{}"
        item = {"id": self._name("fc"), "type": "function_call", "call_id": call.call_id, "name": call.tool}
        yield self._added({**item, "arguments": ""})
        place = {"item_id": item["id"], "output_index": len(self._output) - 1}
        yield self._event("response.function_call_arguments.delta", **place, delta=arguments)
        yield self._event("response.function_call_arguments.done", **place, name=call.tool, arguments=arguments)
        yield self._done(len(self._output) - 1, arguments=arguments, status="completed")

    def _works(self, call: ToolCall) -> Iterator[bytes]:
        """A call that the server runs itself, in the words for servers' tools."""
        item = {"id": self._name("mcp"), "type": "mcp_call", "server_label": "perdure", "name": call.tool}
        yield self._added({**item, "arguments": call.args, "output": None, "error": None})
        index = self._running[call.call_id] = len(self._output) - 1
        yield self._event("response.mcp_call.in_progress", item_id=item["id"], output_index=index)

    def _returned(self, result: ToolResult) -> Iterator[bytes]:
        index = self._running.pop(result.call_id, None)
        if index is None:
            return
        failed = {"type": "mcp_tool_execution_error", "content": [{"type": "text", "text": result.result}]}
        known = {"error": failed} if result.is_error else {"output": result.result}
        status = "failed" if result.is_error else "completed"
        yield self._event(f"response.mcp_call.{status}", item_id=self._output[index]["id"], output_index=index)
        yield self._done(index, status=status, **known)

    def _added(self, item: dict[str, Any]) -> bytes:
        self._output.append({**item, "status": "in_progress"})
        return self._event(
            "response.output_item.added", output_index=len(self._output) - 1, item=dict(self._output[-1])
        )

    def _done(self, index: int, **known: object) -> bytes:
        self._output[index] |= known
        return self._event("response.output_item.done", output_index=index, item=dict(self._output[index]))

    def _name(self, kind: str) -> str:
        return item_id(self._head.turn, kind, len(self._output))

    def _place(self, kind: TextKind) -> dict[str, Any]:
        index = len(self._output) - 1
        within = "content_index" if kind is TextKind.TEXT else "summary_index"
        return {"item_id": self._output[index]["id"], "output_index": index, within: 0}

    def _event(self, kind: str, **fields: object) -> bytes:
        return _frame(kind, self._next(), fields)

    def _next(self) -> int:
        self._number += 1
        return self._number - 1

    @property
    def object(self) -> dict[str, Any]:
        """The response as it is now."""
        head, ended = self._head, self.ended
        reason = _INCOMPLETE.get(ended.outcome) if ended else None
        return {
            "id": response_id(head.turn),
            "object": "response",
            "created_at": head.created,
            "completed_at": self._answered if self.status == "completed" else None,
            "status": self.status,
            "background": head.background,
            "error": failure_of(ended.error) if ended and ended.outcome is Outcome.FAILED else None,
            "incomplete_details": {"reason": reason} if reason else None,
            "instructions": None,
            "max_output_tokens": None,
            "model": head.model,
            "output": [dict(item) for item in self._output],
            "parallel_tool_calls": True,
            "previous_response_id": head.previous,
            "conversation": {"id": conversation_id(head.turn.chat_id)},
            "reasoning": {"effort": head.effort, "summary": None},
            "store": True,
            "max_tool_calls": None,
            "service_tier": "default",
            "safety_identifier": None,
            "prompt_cache_key": None,
            # What holds where nobody says otherwise: the open form wants numbers.
            "temperature": 1.0,
            "presence_penalty": 0.0,
            "frequency_penalty": 0.0,
            "top_logprobs": 0,
            "text": {"format": {"type": "text"}},
            "tool_choice": "auto",
            "tools": [_tool(tool.name, tool.description, tool.schema) for tool in head.tools],
            "top_p": 1.0,
            "truncation": "disabled",
            "usage": response_usage(self._usage) if ended else None,
            "user": None,
            "metadata": dict(head.metadata),
        }


def _frame(kind: str, number: int, fields: Mapping[str, object]) -> bytes:
    encoded = _encoder.encode({"type": kind, "sequence_number": number, **fields})
    return b"event: %b\ndata: %b\n\n" % (kind.encode(), encoded)


def _tool(name: str, description: str, schema: dict[str, Any]) -> dict[str, Any]:
    return {"type": "function", "name": name, "description": description, "parameters": schema, "strict": False}


def response_usage(usage: Usage) -> dict[str, Any]:
    return {
        "input_tokens": usage.input,
        "input_tokens_details": {"cached_tokens": usage.cache_read},
        "output_tokens": usage.output,
        "output_tokens_details": {"reasoning_tokens": usage.reasoning},
        "total_tokens": usage.input + usage.output,
    }
