"""The events of a Responses stream, understood."""

from collections.abc import Iterator

import msgspec

from perdure.core.deltas import (
    AnyDelta,
    Finish,
    ReasoningDelta,
    SourceDelta,
    TextDelta,
    ToolCallDelta,
    ToolResultDelta,
)
from perdure.core.message import FinishReason
from perdure.core.parts import ProviderMetadata
from perdure.core.usage import Usage
from perdure.providers.dialects.dialect import Json, Meaning
from perdure.providers.dialects.openai_errors import OpenAIError
from perdure.providers.dialects.openai_responses.encode import NAME
from perdure.providers.dialects.openai_responses.events import Annotation, Details, Event, Item, Response, Tokens
from perdure.providers.dialects.openai_responses.screen import COMPUTER, screen_call
from perdure.providers.dialects.wire import excerpt, objects, parse
from perdure.providers.errors.failures import ApiError, Foreign, StreamEnded
from perdure.providers.model import Model
from perdure.providers.projection.step import fresh_call_id

INCOMPLETE = {"max_output_tokens": FinishReason.LENGTH, "content_filter": FinishReason.CONTENT_FILTER}
NOTHING: Meaning = ()


class _Place:
    """An output item while it is open: where its part stands in our message."""

    __slots__ = ("index", "written")

    def __init__(self, index: int) -> None:
        self.index = index
        self.written = False


_EVENTS = msgspec.json.Decoder(Event)
_ITEMS = msgspec.json.Decoder(Item)
_ANNOTATIONS = msgspec.json.Decoder(Annotation)
_RESPONSES = msgspec.json.Decoder(Response)


class ResponsesDecoder:
    """Understands one answer of the Responses API. Knows how far it has come, so that it can be resumed."""

    def __init__(self, model: Model) -> None:
        self.done = False
        self.response_id: str | None = None
        self.sequence_number: int | None = None
        self._model = model.id
        self._count = 0
        self._places: dict[int, _Place] = {}
        self._ids: set[str] = set()
        self._called = False
        self._refused = False

    def feed(self, data: bytes) -> Meaning:
        event = parse(_EVENTS, data)
        if event.sequence_number is not None:
            self.sequence_number = event.sequence_number
        match event.type:
            case "response.output_text.delta":
                return self._text(event)
            case "response.function_call_arguments.delta":
                return self._arguments(event)
            case "response.reasoning_summary_text.delta" | "response.reasoning_text.delta":
                return self._thought(event)
            case "response.refusal.delta":
                return self._refusal(event)
            case "" | "error":
                raise _error(event, data)
            case _:
                return self._rarer(event)

    def _rarer(self, event: Event) -> Meaning:
        match event.type:
            case "response.reasoning_summary_part.added":
                return self._next_thought(event)
            case "response.output_item.added":
                return self._added(event)
            case "response.output_item.done":
                return self._completed_item(event)
            case "response.output_text.annotation.added":
                return self._annotated(event)
            case "response.created":
                return self._created(event)
            case "response.completed" | "response.incomplete" | "response.failed" | "response.cancelled":
                return self._finished(event)
            case _:
                return NOTHING

    def close(self) -> Meaning:
        if not self.done:
            raise StreamEnded
        return NOTHING

    def _text(self, event: Event) -> Meaning:
        return (TextDelta(self._place(event.output_index).index, _words(event.delta)),)

    def _refusal(self, event: Event) -> Meaning:
        self._refused = True
        return self._text(event)

    def _thought(self, event: Event) -> Meaning:
        place = self._place(event.output_index)
        place.written = True
        return (ReasoningDelta(place.index, _words(event.delta)),)

    def _next_thought(self, event: Event) -> Meaning:
        place = self._places.get(event.output_index)
        if event.summary_index and place is not None and place.written:
            return (ReasoningDelta(place.index, "\n\n"),)
        return NOTHING

    def _arguments(self, event: Event) -> Meaning:
        place = self._place(event.output_index)
        place.written = True
        return (ToolCallDelta(place.index, args_delta=_words(event.delta)),)

    def _added(self, event: Event) -> Meaning:
        item = parse(_ITEMS, bytes(event.item))
        match item.type:
            case "function_call":
                return self._calls(event, item, item.name or "")
            case "computer_call":
                return self._calls(event, item, COMPUTER)
            case "reasoning":
                return (ReasoningDelta(self._place(event.output_index).index),)
            case "web_search_call":
                place = self._place(event.output_index)
                return (ToolCallDelta(place.index, item.id or "", "web_search", provider_executed=True),)
            case _:
                return NOTHING

    def _calls(self, event: Event, item: Item, tool: str) -> Meaning:
        self._called = True
        place = self._place(event.output_index)
        place.written = bool(item.arguments)
        call_id = item.call_id if item.call_id and item.call_id not in self._ids else fresh_call_id()
        self._ids.add(call_id)
        return (ToolCallDelta(place.index, call_id, tool, item.arguments or ""),)

    def _completed_item(self, event: Event) -> Meaning:
        item = parse(_ITEMS, bytes(event.item))
        place = self._places.pop(event.output_index, None)
        if place is None:
            return NOTHING
        match item.type:
            case "reasoning" if item.encrypted_content:
                data = {"id": item.id, "encrypted_content": item.encrypted_content}
                return (ReasoningDelta(place.index, provider_metadata=self._metadata(data)),)
            case "message" if item.phase:
                return (TextDelta(place.index, provider_metadata=self._metadata({"phase": item.phase})),)
            case "function_call" if not place.written:
                return (ToolCallDelta(place.index, args_delta=item.arguments or ""),)
            case "computer_call":
                asked, kept = screen_call(item)
                return (ToolCallDelta(place.index, args_delta=asked, provider_metadata=self._metadata(kept)),)
            case "web_search_call":
                return tuple(self._searched(place.index, item))
            case _:
                return NOTHING

    def _searched(self, index: int, item: Item) -> Iterator[AnyDelta]:
        action = item.action or {}
        sources = [str(source.get("url", "")) for source in objects(action.get("sources"))]
        asked = {key: value for key, value in action.items() if key != "sources"}
        yield ToolCallDelta(index, args_delta=msgspec.json.encode(asked).decode(), provider_executed=True)
        kept = {"type": item.type, "id": item.id, "status": item.status or "completed", "action": asked}
        yield ToolResultDelta(
            index=self._next(),
            call_id=item.id or "",
            tool="web_search",
            result_delta="\n".join(sources) or f"search {item.status or 'completed'}",
            is_error=item.status == "failed",
            provider_executed=True,
            done=True,
            provider_metadata=self._metadata({"item": kept}),
        )
        for url in sources:
            yield SourceDelta(self._next(), id=url, url=url)

    def _annotated(self, event: Event) -> Meaning:
        annotation = parse(_ANNOTATIONS, bytes(event.annotation))
        if not annotation.url:
            return NOTHING
        url = annotation.url
        return (SourceDelta(self._next(), id=url, url=url, title=annotation.title or ""),)

    def _created(self, event: Event) -> Meaning:
        response = parse(_RESPONSES, bytes(event.response))
        self.response_id = response.id
        return NOTHING

    def _finished(self, event: Event) -> Meaning:
        response = parse(_RESPONSES, bytes(event.response))
        if response.status in ("failed", "cancelled"):
            raise OpenAIError.raised(response.error or f"response {response.status}", bytes(event.response))
        self.done = True
        usage = _usage(response.usage) if response.usage is not None else None
        return (
            Finish(reason=self._reason(response), usage=usage, response_id=response.id if response.store else None),
        )

    def _reason(self, response: Response) -> FinishReason:
        if response.status == "incomplete":
            reason = response.incomplete_details.reason if response.incomplete_details else None
            return INCOMPLETE.get(reason or "", FinishReason.LENGTH)
        if self._refused:
            return FinishReason.CONTENT_FILTER
        return FinishReason.TOOL_CALLS if self._called else FinishReason.STOP

    def _place(self, output_index: int) -> _Place:
        place = self._places.get(output_index)
        if place is None:
            place = self._places[output_index] = _Place(self._next())
        return place

    def _next(self) -> int:
        self._count += 1
        return self._count - 1

    def _metadata(self, data: Json) -> ProviderMetadata:
        return ProviderMetadata(NAME, self._model, data)


def _error(event: Event, data: bytes) -> ApiError | Foreign:
    if event.type == "error" or event.error is not None:
        return OpenAIError.raised(event.error or OpenAIError(event.message, None, event.code), data)
    return Foreign(f"not an event of the Responses API: {excerpt(data)}")


def _words(delta: object) -> str:
    return delta if isinstance(delta, str) else ""


def _usage(tokens: Tokens) -> Usage:
    given, made = tokens.input_tokens_details or Details(), tokens.output_tokens_details or Details()
    return Usage(
        input=tokens.input_tokens or 0,
        output=tokens.output_tokens or 0,
        reasoning=made.reasoning_tokens or 0,
        cache_read=given.cached_tokens or 0,
        cache_write=given.cache_write_tokens or 0,
    )
