"""Making messages smaller without a model: old tool outputs first, then whatever is largest."""

from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import dataclass

from msgspec import structs

from perdure.agent.compaction.size import NO_FRAME, Frame
from perdure.core.errors import ProviderFailure
from perdure.core.failure import ChatError, ErrorKind
from perdure.core.message import AnyPart, File, FileReference, Message, NewMessage, Text, ToolCall, ToolResult
from perdure.providers.estimate import BYTES_PER_TOKEN, tokens_in
from perdure.tools.call import within

KEPT_OF_OUTPUT = 400
SMALLEST_PART = 200
"""Tokens: a text is not cut to less."""
LEFT_OUT = "[Left out because it does not fit: {names}. Go on without, or ask for the part that matters.]"
REFUSED = "[Left out because the provider refuses it: {names}. Go on without, or ask for it in another form.]"


def without_outputs(messages: Sequence[Message]) -> tuple[Message, ...]:
    """The messages with all but the edges of their tool outputs left out."""
    return tuple(
        structs.replace(message, parts=tuple(_short_output(part) for part in message.parts)) for message in messages
    )


def _short_output(part: AnyPart) -> AnyPart:
    if isinstance(part, ToolResult) and len(part.result) > KEPT_OF_OUTPUT:
        return structs.replace(part, result=within(part.result, KEPT_OF_OUTPUT), media=())
    return part


@dataclass(frozen=True, slots=True)
class Fitted:
    """Messages as they fit, the names of the files that did not, and of those that the provider refused."""

    messages: Sequence[NewMessage]
    left_out: tuple[str, ...] = ()
    refused: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class _Allowed:
    """How many tokens a text may have, and which files are left out with which words."""

    text: int | None
    leaves_out: Callable[[str], bool]
    says: str = LEFT_OUT

    def message(self, message: NewMessage) -> NewMessage:
        return structs.replace(message, parts=tuple(self.part(part) for part in message.parts))

    def part(self, part: AnyPart) -> AnyPart:
        match part:
            case Text(text=text):
                return structs.replace(part, text=self._cut(text))
            case FileReference(content=text):
                return structs.replace(part, content=self._cut(text))
            case File(name=name) if self.leaves_out(part.file_id):
                return Text(self.says.format(names=name))
            case ToolResult(result=text, media=media):
                gone = [item.name for item in media if self.leaves_out(item.file_id)]
                note = f"\n\n{self.says.format(names=', '.join(gone))}" if gone else ""
                kept = tuple(item for item in media if not self.leaves_out(item.file_id))
                return structs.replace(part, result=self._cut(text) + note, media=kept)
            case _:
                return part

    def left_out(self, messages: Sequence[NewMessage]) -> tuple[str, ...]:
        """The names of the files that are."""
        files = [file for message in messages for part in message.parts for file in _files(part)]
        return tuple(dict.fromkeys(name for file_id, name in files if self.leaves_out(file_id)))

    def _cut(self, text: str) -> str:
        return text if self.text is None else within(text, self.text * BYTES_PER_TOKEN)


def fitted(messages: Sequence[NewMessage], room: int, frame: Frame = NO_FRAME) -> Fitted:
    """The messages, the largest texts cut and the largest files left out until they fit. The rows stay as they are."""
    if frame.of(messages) <= room:
        return Fitted(messages)
    largest = max((_size(part, frame) for message in messages for part in message.parts), default=0)
    for allowed in _allowances(largest, frame):
        kept = tuple(map(allowed.message, messages))
        if frame.of(kept) <= room:
            return Fitted(kept, allowed.left_out(messages))
    raise ProviderFailure(_too_large(messages, frame))


def _allowances(largest: int, frame: Frame) -> Iterator[_Allowed]:
    """Ever less, and in the end no files."""
    allowed = largest // 2
    while allowed >= SMALLEST_PART:
        yield _Allowed(allowed, _larger_than(allowed, frame))
        allowed //= 2
    yield _Allowed(SMALLEST_PART, _larger_than(0, frame))


def _larger_than(tokens: int, frame: Frame) -> Callable[[str], bool]:
    return lambda file_id: frame.files.get(file_id, 0) > tokens


def without(told: Fitted, file_ids: Collection[str]) -> Fitted | None:
    """The same without files that the provider may have refused; nothing where there are none."""
    allowed = _Allowed(None, lambda file_id: file_id in file_ids, REFUSED)
    refused = allowed.left_out(told.messages)
    return Fitted(tuple(map(allowed.message, told.messages)), told.left_out, refused) if refused else None


def _size(part: AnyPart, frame: Frame) -> int:
    return max(tokens_in(_text_of(part)), *(frame.files.get(file_id, 0) for file_id, _ in _files(part)), 0)


def _files(part: AnyPart) -> Sequence[tuple[str, str]]:
    match part:
        case File(file_id=file_id, name=name):
            return ((file_id, name),)
        case ToolResult(media=media):
            return [(item.file_id, item.name) for item in media]
        case _:
            return ()


def _text_of(part: AnyPart) -> str:
    match part:
        case Text(text=text) | ToolResult(result=text) | FileReference(content=text) | ToolCall(args=text):
            return text
        case _:
            return ""


def _too_large(messages: Sequence[NewMessage], frame: Frame) -> ChatError:
    parts = [(_size(part, frame), type(part).__name__) for message in messages for part in message.parts]
    size, kind = max(parts, default=(0, "message"))
    return ChatError(
        "The conversation does not fit the model's context, even after it was shortened.",
        ErrorKind.CONTEXT_OVERFLOW,
        detail=f"The largest part is a {kind.lower()} of about {size} tokens.",
    )
