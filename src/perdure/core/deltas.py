"""What arrives while an answer is being given: pieces of parts, folded into parts as they come.

A dialect yields deltas, a step folds them, an episode numbers them, a stream sends them, a client folds them again.
"""

from collections.abc import Iterable
from datetime import datetime

from msgspec import Struct, structs

from perdure.core.message import (
    AnyPart,
    File,
    FinishReason,
    Media,
    NoticePart,
    ProviderMetadata,
    Reasoning,
    Source,
    Text,
    ToolCall,
    ToolResult,
    Usage,
)


class Delta(Struct, frozen=True, omit_defaults=True, gc=False, tag_field="type"):
    """A piece of the part at `index` of the message in flight. The first piece at an index opens the part."""

    index: int


class TextDelta(Delta, frozen=True, tag="text"):
    text: str = ""
    provider_metadata: ProviderMetadata | None = None


class ReasoningDelta(Delta, frozen=True, tag="reasoning"):
    """More reasoning. Metadata given once stays, whatever later pieces say."""

    text: str = ""
    started_at: datetime | None = None
    completed_at: datetime | None = None
    provider_metadata: ProviderMetadata | None = None


class ToolCallDelta(Delta, frozen=True, tag="tool_call"):
    """More of a call. Id and name come with the piece that opens it."""

    call_id: str = ""
    tool: str = ""
    args_delta: str = ""
    provider_executed: bool = False
    created_at: datetime | None = None
    provider_metadata: ProviderMetadata | None = None


class ToolResultDelta(Delta, frozen=True, tag="tool_result"):
    """More of a result. `result_reset` forgets what came before it; `done` says that this is all."""

    call_id: str = ""
    tool: str = ""
    result_delta: str = ""
    result_reset: bool = False
    is_error: bool = False
    media: tuple[Media, ...] = ()
    provider_executed: bool = False
    done: bool = False
    created_at: datetime | None = None
    provider_metadata: ProviderMetadata | None = None


class SourceDelta(Delta, frozen=True, tag="source"):
    id: str = ""
    url: str = ""
    title: str = ""


class FileDelta(Delta, frozen=True, tag="file"):
    file_id: str = ""
    name: str = ""
    media_type: str = ""


class NoticeDelta(Delta, frozen=True, tag="notice"):
    kind: str = ""
    text: str = ""


AnyDelta = TextDelta | ReasoningDelta | ToolCallDelta | ToolResultDelta | SourceDelta | FileDelta | NoticeDelta


class Finish(Struct, frozen=True, kw_only=True):
    """The provider's last word on an answer."""

    reason: FinishReason
    usage: Usage | None = None
    response_id: str | None = None
    context_limit: int | None = None
    explanation: str | None = None
    """Why the provider withheld the answer, where it did and says so."""


class _Opening:
    """A part being filled. Text is kept in pieces, so that a long answer costs no quadratic copying."""

    __slots__ = ("part", "pieces")

    def __init__(self, part: AnyPart) -> None:
        self.part = part
        self.pieces: list[str] = []

    def closed(self) -> AnyPart:
        text = "".join(self.pieces)
        match self.part:
            case Text() | Reasoning():
                return structs.replace(self.part, text=text)
            case ToolCall():
                return structs.replace(self.part, args=text)
            case ToolResult():
                return structs.replace(self.part, result=text)
            case other:
                return other


class Accumulator:
    """Folds deltas into parts. The order of parts is the order of their indices."""

    def __init__(self, deltas: Iterable[AnyDelta] = ()) -> None:
        self._open: dict[int, _Opening] = {}
        for delta in deltas:
            self.add(delta)

    def add(self, delta: AnyDelta) -> None:
        opening = self._open.get(delta.index)
        if opening is not None and type(delta) is TextDelta and delta.provider_metadata is None:
            # Nearly every delta is more text: it takes the short way.
            opening.pieces.append(delta.text)
            return
        if opening is None:
            opening = self._open[delta.index] = _Opening(_opened(delta))
        else:
            opening.part = _updated(opening.part, delta)
        match delta:
            case TextDelta(text=piece) | ReasoningDelta(text=piece) | ToolCallDelta(args_delta=piece):
                opening.pieces.append(piece)
            case ToolResultDelta(result_delta=piece, result_reset=reset):
                if reset:
                    opening.pieces.clear()
                opening.pieces.append(piece)
            case _:
                pass

    def parts(self) -> tuple[AnyPart, ...]:
        """The parts as far as they are known."""
        return tuple(self._open[index].closed() for index in sorted(self._open))

    def __bool__(self) -> bool:
        return bool(self._open)


def _opened(delta: AnyDelta) -> AnyPart:
    match delta:
        case TextDelta():
            return Text("", delta.provider_metadata)
        case ReasoningDelta():
            return Reasoning("", delta.started_at, delta.completed_at, delta.provider_metadata)
        case ToolCallDelta():
            return ToolCall(
                call_id=delta.call_id,
                tool=delta.tool,
                args="",
                provider_executed=delta.provider_executed,
                created_at=delta.created_at,
                provider_metadata=delta.provider_metadata,
            )
        case ToolResultDelta():
            return ToolResult(
                call_id=delta.call_id,
                tool=delta.tool,
                result="",
                is_error=delta.is_error,
                media=delta.media,
                provider_executed=delta.provider_executed,
                created_at=delta.created_at,
                provider_metadata=delta.provider_metadata,
            )
        case SourceDelta():
            return Source(id=delta.id, url=delta.url, title=delta.title)
        case FileDelta():
            return File(file_id=delta.file_id, name=delta.name, media_type=delta.media_type)
        case NoticeDelta():
            return NoticePart(kind=delta.kind, text=delta.text)


def _updated(part: AnyPart, delta: AnyDelta) -> AnyPart:
    """The part with what a later delta knows. Nothing known is forgotten."""
    match part, delta:
        case Text(), TextDelta(provider_metadata=metadata) if metadata is not None:
            return structs.replace(part, provider_metadata=metadata)
        case Reasoning(), ReasoningDelta():
            if delta.completed_at is None and delta.provider_metadata is None:
                return part
            return structs.replace(
                part,
                completed_at=delta.completed_at or part.completed_at,
                provider_metadata=delta.provider_metadata or part.provider_metadata,
            )
        case ToolCall(), ToolCallDelta():
            if not (delta.call_id or delta.tool or delta.provider_metadata):
                return part
            return structs.replace(
                part,
                call_id=delta.call_id or part.call_id,
                tool=delta.tool or part.tool,
                provider_metadata=delta.provider_metadata or part.provider_metadata,
            )
        case ToolResult(), ToolResultDelta():
            return structs.replace(
                part,
                is_error=delta.is_error or part.is_error,
                media=delta.media or part.media,
                created_at=delta.created_at or part.created_at,
                provider_metadata=delta.provider_metadata or part.provider_metadata,
            )
        case _:
            return part
