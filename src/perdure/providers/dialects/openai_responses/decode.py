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
from perdure.core.message import FinishReason, ProviderMetadata, Usage
from perdure.providers.dialects.dialect import Decoder, Json, Meaning
from perdure.providers.dialects.openai_responses.encode import AFTER, NAME
from perdure.providers.dialects.openai_responses.events import Annotation, Item, Response, ResponseEvent, ResponseUsage
from perdure.providers.dialects.openai_responses.places import CALL, KINDS, SEARCH, TEXT, THOUGHT, Place, Places
from perdure.providers.dialects.openai_responses.screen import COMPUTER, screen_call
from perdure.providers.dialects.openai_wire import OpenAIError, TokenDetails, filtered
from perdure.providers.dialects.wire import excerpt, limit_of, objects, parse, words
from perdure.providers.errors.failures import ApiError, Foreign, StreamEnded
from perdure.providers.model import Model
from perdure.providers.projection.step import fresh_call_id

INCOMPLETE = {"max_output_tokens": FinishReason.LENGTH, "content_filter": FinishReason.CONTENT_FILTER}
NOTHING: Meaning = ()

_EVENTS = msgspec.json.Decoder(ResponseEvent)
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
        self._places = Places()
        self._ids: set[str] = set()
        self._called = False
        self._refused = False
        self._thought_id: str | None = None
        """The id of the newest thought, which what follows cannot go back without."""

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

    def _rarer(self, event: ResponseEvent) -> Meaning:
        match event.type:
            case "response.reasoning_summary_part.added":
                return self._next_thought(event)
            case "response.output_item.added":
                return self._added(event)
            case "response.output_item.done":
                return self._completed_item(event)
            case "response.function_call_arguments.done":
                return self._all_arguments(event)
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

    def _text(self, event: ResponseEvent) -> Meaning:
        return (TextDelta(self._places.of(event, TEXT).index, words(event.delta)),)

    def _refusal(self, event: ResponseEvent) -> Meaning:
        self._refused = True
        return self._text(event)

    def _thought(self, event: ResponseEvent) -> Meaning:
        place = self._places.of(event, THOUGHT)
        place.written = True
        return (ReasoningDelta(place.index, words(event.delta)),)

    def _next_thought(self, event: ResponseEvent) -> Meaning:
        place = self._places.of(event, THOUGHT)
        if event.summary_index and place.written:
            return (ReasoningDelta(place.index, "\n\n"),)
        return NOTHING

    def _arguments(self, event: ResponseEvent) -> Meaning:
        return (self._written(self._places.of(event, CALL), words(event.delta)),)

    def _all_arguments(self, event: ResponseEvent) -> Meaning:
        """The arguments once more, as a whole: news only where no piece of them came."""
        place = self._places.known(event, CALL)
        if place is None or place.written or not event.arguments:
            return NOTHING
        return (self._written(place, event.arguments),)

    def _written(self, place: Place, arguments: str) -> ToolCallDelta:
        place.written = True
        return ToolCallDelta(place.index, args_delta=arguments)

    def _added(self, event: ResponseEvent) -> Meaning:
        item = parse(_ITEMS, bytes(event.item))
        match item.type:
            case "function_call" | "computer_call":
                return (self._call(self._places.opened(event, item, CALL), item),)
            case "reasoning":
                self._thought_id = item.id
                return (ReasoningDelta(self._places.opened(event, item, THOUGHT).index),)
            case "web_search_call":
                place = self._places.opened(event, item, SEARCH)
                return (ToolCallDelta(place.index, item.id or "", "web_search", provider_executed=True),)
            case _:
                return NOTHING

    def _call(self, place: Place, item: Item) -> ToolCallDelta:
        self._called = True
        begun = place.begun_with(item.arguments or "")
        call_id = item.call_id if item.call_id and item.call_id not in self._ids else fresh_call_id()
        self._ids.add(call_id)
        tool = COMPUTER if item.type == "computer_call" else item.name or ""
        return ToolCallDelta(place.index, call_id, tool, begun)

    def _completed_item(self, event: ResponseEvent) -> Meaning:
        item = parse(_ITEMS, bytes(event.item))
        place = self._places.closed(event, item, KINDS.get(item.type, ""))
        if place is None:
            return self._unannounced(event, item)
        match item.type:
            case "reasoning" if item.encrypted_content and item.id:
                data = {"id": item.id, "encrypted_content": item.encrypted_content}
                return (ReasoningDelta(place.index, provider_metadata=self._metadata(data)),)
            case "message" if item.phase:
                return (TextDelta(place.index, provider_metadata=self._metadata({"phase": item.phase})),)
            case "function_call" if not place.written:
                return (ToolCallDelta(place.index, args_delta=item.arguments or place.given),)
            case "computer_call":
                asked, kept = screen_call(item)
                return (ToolCallDelta(place.index, args_delta=asked, provider_metadata=self._metadata(kept)),)
            case "web_search_call":
                return tuple(self._searched(place.index, item))
            case _:
                return NOTHING

    def _unannounced(self, event: ResponseEvent, item: Item) -> Meaning:
        """A call that some servers tell of only when it is complete."""
        if item.type != "function_call" or item.call_id is None or item.call_id in self._ids:
            return NOTHING
        self._places.opened(event, item, CALL)
        place = self._places.closed(event, item, CALL)
        return NOTHING if place is None else (self._call(place, item), self._written(place, place.given))

    def _searched(self, index: int, item: Item) -> Iterator[AnyDelta]:
        action = item.action or {}
        sources = [str(source.get("url", "")) for source in objects(action.get("sources"))]
        asked = {key: value for key, value in action.items() if key != "sources"}
        yield ToolCallDelta(index, args_delta=msgspec.json.encode(asked).decode(), provider_executed=True)
        kept = {"type": item.type, "id": item.id, "status": item.status or "completed", "action": asked}
        yield ToolResultDelta(
            index=self._places.next(),
            call_id=item.id or "",
            tool="web_search",
            result_delta="\n".join(sources) or f"search {item.status or 'completed'}",
            is_error=item.status == "failed",
            provider_executed=True,
            done=True,
            provider_metadata=self._metadata({"item": kept, **({AFTER: self._thought_id} if self._thought_id else {})}),
        )
        for url in sources:
            yield SourceDelta(self._places.next(), id=url, url=url)

    def _annotated(self, event: ResponseEvent) -> Meaning:
        annotation = parse(_ANNOTATIONS, bytes(event.annotation))
        if not annotation.url:
            return NOTHING
        url = annotation.url
        return (SourceDelta(self._places.next(), id=url, url=url, title=annotation.title or ""),)

    def _created(self, event: ResponseEvent) -> Meaning:
        response = parse(_RESPONSES, bytes(event.response))
        self.response_id = response.id
        return NOTHING

    def _finished(self, event: ResponseEvent) -> Meaning:
        response = parse(_RESPONSES, bytes(event.response))
        status = response.status or event.type.removeprefix("response.")
        if status in ("failed", "cancelled"):
            raise OpenAIError.raised(response.error or f"response {status}", bytes(event.response))
        self.done = True
        usage = _usage(response.usage) if response.usage is not None else None
        kept = response.id if response.store else None
        reason = self._reason(status, response)
        withheld = filtered(response.content_filters) if reason is FinishReason.CONTENT_FILTER else None
        limit = limit_of(response.context_window)
        finish = Finish(reason=reason, usage=usage, response_id=kept, explanation=withheld, context_limit=limit)
        return (*(self._written(place, place.given) for place in self._places.unwritten_calls()), finish)

    def _reason(self, status: str, response: Response) -> FinishReason:
        if status == "incomplete":
            reason = response.incomplete_details.reason if response.incomplete_details else None
            return INCOMPLETE.get(reason or "", FinishReason.LENGTH)
        if self._refused:
            return FinishReason.CONTENT_FILTER
        return FinishReason.TOOL_CALLS if self._called else FinishReason.STOP

    def _metadata(self, data: Json) -> ProviderMetadata:
        return ProviderMetadata(NAME, self._model, data)


def position(decoder: Decoder) -> tuple[str, int] | None:
    """Where a response can be listened to again: its id, and the number of the last event seen."""
    if not isinstance(decoder, ResponsesDecoder) or decoder.response_id is None:
        return None
    return decoder.response_id, decoder.sequence_number or 0


def _error(event: ResponseEvent, data: bytes) -> ApiError | Foreign:
    if event.type == "error" or event.error is not None:
        return OpenAIError.raised(event.error or OpenAIError(event.message, None, event.code), data)
    return Foreign(f"not an event of the Responses API: {excerpt(data)}")


def _usage(tokens: ResponseUsage) -> Usage:
    given, made = tokens.input_tokens_details or TokenDetails(), tokens.output_tokens_details or TokenDetails()
    return Usage(
        input=tokens.input_tokens or 0,
        output=tokens.output_tokens or 0,
        reasoning=made.reasoning_tokens or 0,
        cache_read=given.cached_tokens or 0,
        cache_write=given.cache_write_tokens or 0,
    )
