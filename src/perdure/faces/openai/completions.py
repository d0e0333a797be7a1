"""Chat completions: from a request to what is asked, and from a turn's events to chunks."""

from collections.abc import Iterable, Iterator, Sequence
from typing import Any

import msgspec

from perdure.api.http import Answer
from perdure.core.ids import ChatId
from perdure.core.message import Role, Usage
from perdure.faces.asked import Asked, Given, TurnId, assistant_given, result_given, user_given
from perdure.faces.content import text_of
from perdure.faces.delta import delta_frame
from perdure.faces.openai.errors import OpenAiError, failure_of
from perdure.faces.openai.ids import completion_id
from perdure.faces.openai.wire import ChatMessage, CompletionBody, client_tools, effort_of
from perdure.faces.turn import Answered, Called, Ended, Opened, Outcome, Piece, TextKind, TurnEvent

DONE = b"data: [DONE]\n\n"
_FINISHED = {
    Outcome.CALLS: "tool_calls",
    Outcome.LENGTH: "length",
    Outcome.FILTERED: "content_filter",
}
_encoder = msgspec.json.Encoder()


def asked_of(body: CompletionBody, key: ChatId | None) -> Asked:
    if body.n not in (None, 1):
        raise OpenAiError(400, "Only one choice is supported (n = 1).", param="n")
    system = [text_of(message.content) for message in body.messages if message.role in ("system", "developer")]
    return Asked(
        given=[given for message in body.messages if (given := _given(message)) is not None],
        system="\n\n".join(system),
        model=body.model,
        effort=effort_of(body.reasoning_effort),
        tools=client_tools(body.tools),
        user=body.user or "",
        key=key,
    )


def _given(message: ChatMessage) -> Given | None:
    match message.role:
        case "user":
            return user_given(message.content)
        case "assistant":
            return assistant_given(text_of(message.content), tuple(call.id for call in message.tool_calls or ()))
        case "tool":
            return result_given(message.tool_call_id or "", text_of(message.content))
        case _:
            return None


class Completion:
    """Takes the events of a turn, and is the answer so far."""

    def __init__(
        self, turn: TurnId, model: str, created: int, own_tools: frozenset[str], *, shows_tools: bool = False
    ) -> None:
        self._head = {"id": completion_id(turn), "created": created, "model": model}
        self._own_tools = own_tools
        self._shows_tools = shows_tools
        self._text: list[str] = []
        self._reasoning: list[str] = []
        self._calls: list[dict[str, Any]] = []
        self._usage = Usage()
        self._goes_on = False
        self._more = {
            TextKind.TEXT: delta_frame(lambda text: self.chunks([{"content": text}])),
            TextKind.REASONING: delta_frame(lambda text: self.chunks([{"reasoning_content": text}])),
        }
        """Makes the chunks of pieces."""
        self.ended: Ended | None = None

    def add(self, events: Iterable[TurnEvent]) -> bytes:
        """The chunks of what each event adds to the message."""
        told: list[bytes] = []
        for event in events:
            if isinstance(event, Piece):
                self._said(event)
                told.append(self._more[event.kind](event.text))
            else:
                told.append(self.chunks(self._news(event)))
        return b"".join(told)

    def _news(self, event: TurnEvent) -> Iterator[dict[str, Any]]:
        match event:
            case Opened(kind=TextKind.TEXT) if self._text and self._goes_on:
                # After a call of the agent's own: a client that keeps one text gets paragraphs.
                self._goes_on = False
                yield self._content("\n\n")
            case Opened(kind=TextKind.REASONING) if self._reasoning:
                yield self._thought("\n\n")
            case Called(call=call) if call.tool in self._own_tools:
                function = {"name": call.tool, "arguments": call.args or "{}"}
                self._calls.append({"id": call.call_id, "type": "function", "function": function})
                yield {"tool_calls": [{"index": len(self._calls) - 1, **self._calls[-1]}]}
            case Called(call=call) if self._shows_tools:
                yield self._thought(f"\n\n{call.tool} {call.args}\n\n")
            case Answered(message=message):
                self._goes_on = True
                self._usage += message.usage or Usage()
            case Ended():
                self.ended = event
            case _:
                pass

    def _said(self, piece: Piece) -> None:
        (self._text if piece.kind is TextKind.TEXT else self._reasoning).append(piece.text)

    def _content(self, text: str) -> dict[str, Any]:
        self._text.append(text)
        return {"content": text}

    def _thought(self, text: str) -> dict[str, Any]:
        self._reasoning.append(text)
        return {"reasoning_content": text}

    @property
    def _finish_reason(self) -> str:
        assert self.ended is not None
        return _FINISHED.get(self.ended.outcome, "stop")

    @property
    def answer(self) -> Answer:
        """The answer to somebody who did not ask for a stream."""
        assert self.ended is not None
        if self.ended.outcome is Outcome.FAILED:
            raise OpenAiError(502, **failure_of(self.ended.error))
        message: dict[str, Any] = {"role": Role.ASSISTANT, "content": "".join(self._text) or None, "refusal": None}
        if self._reasoning:
            message["reasoning_content"] = "".join(self._reasoning)
        if self._calls:
            message["tool_calls"] = self._calls
        choice = {"index": 0, "message": message, "logprobs": None, "finish_reason": self._finish_reason}
        usage = usage_of(self._usage)
        return Answer.json(200, {**self._head, "object": "chat.completion", "choices": [choice], "usage": usage})

    def begun(self) -> bytes:
        return self.chunks([{"role": Role.ASSISTANT, "content": ""}])

    def chunks(self, deltas: Iterable[dict[str, Any]]) -> bytes:
        return b"".join(self._chunk([{"index": 0, "delta": delta, "finish_reason": None}]) for delta in deltas)

    def last_chunks(self, *, include_usage: bool) -> bytes:
        assert self.ended is not None
        if self.ended.outcome is Outcome.FAILED:
            return _event({"error": {**failure_of(self.ended.error), "type": "server_error", "param": None}}) + DONE
        last = self._chunk([{"index": 0, "delta": {}, "finish_reason": self._finish_reason}])
        usage = self._chunk([], usage=usage_of(self._usage)) if include_usage else b""
        return last + usage + DONE

    def _chunk(self, choices: Sequence[dict[str, Any]], **more: object) -> bytes:
        return _event({**self._head, "object": "chat.completion.chunk", "choices": choices, **more})


def _event(value: object) -> bytes:
    return b"data: %b\n\n" % _encoder.encode(value)


def usage_of(usage: Usage) -> dict[str, Any]:
    return {
        "prompt_tokens": usage.input,
        "completion_tokens": usage.output,
        "total_tokens": usage.input + usage.output,
        "prompt_tokens_details": {"cached_tokens": usage.cache_read},
        "completion_tokens_details": {"reasoning_tokens": usage.reasoning},
    }
