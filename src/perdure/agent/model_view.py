"""What a model is told of a history, kept so that a longer one need not be looked through again."""

from collections.abc import Iterable, Sequence

from msgspec import Struct

from perdure.agent.speakers import Speakers
from perdure.core.message import (
    File,
    FileReference,
    Kind,
    Message,
    Reasoning,
    Role,
    Text,
    ToolCall,
    ToolResult,
    Visibility,
)
from perdure.providers.estimate import estimate
from perdure.providers.projection.media import PICTURES

_SPOKEN = frozenset({Kind.ORDINARY, Kind.HOOK, Kind.CONTEXT})
# What a message and each of its parts take in memory besides their texts.
MESSAGE_BYTES, PART_BYTES = 500, 200


class ModelView(Struct, frozen=True):
    """Of so many messages: what a model is told of them, and how much that is."""

    prompt: tuple[Message, ...] = ()
    """The newest summary, then everything that it does not cover."""
    tokens: int = 0
    """An estimate of the prompt's."""
    boundary: Message | None = None
    system: tuple[Message, ...] = ()
    files: tuple[str, ...] = ()
    """Those that the prompt names, each once."""
    size: int = 0
    """Bytes of all messages in memory, roughly."""
    speakers: Speakers = Speakers()

    def after(self, messages: Sequence[Message], before: Sequence[Message] = ()) -> "ModelView":
        """With more messages, which follow those that were there before."""
        if any(message.kind is Kind.BOUNDARY for message in messages):
            return _whole((*before, *messages))
        covered = (self.boundary.covers or 0) if self.boundary else 0
        speakers, spoken = _told(self.speakers, messages, covered)
        system = [message for message in messages if message.role is Role.SYSTEM]
        return ModelView(
            prompt=(*self.prompt, *spoken),
            tokens=self.tokens + estimate(spoken),
            boundary=self.boundary,
            system=(*self.system, *system) if system else self.system,
            files=_files(self.files, spoken),
            size=self.size + sum(map(_size, messages)),
            speakers=speakers,
        )


def _whole(messages: Sequence[Message]) -> ModelView:
    """The view of messages with a summary among them: the newest decides what is told."""
    boundary = next(message for message in reversed(messages) if message.kind is Kind.BOUNDARY)
    speakers, spoken = _told(Speakers(), messages, boundary.covers or 0)
    return ModelView(
        prompt=(boundary, *spoken),
        tokens=estimate((boundary, *spoken)),
        boundary=boundary,
        system=tuple(message for message in messages if message.role is Role.SYSTEM),
        files=_files((), (boundary, *spoken)),
        size=sum(map(_size, messages)),
        speakers=speakers,
    )


def _told(speakers: Speakers, messages: Iterable[Message], covered: int) -> tuple[Speakers, list[Message]]:
    """The messages that a model is told, each with its author where several people speak."""
    told: list[Message] = []
    for message in messages:
        if _spoken(message, covered):
            speakers, said = speakers.heard(message)
            told.append(said)
        elif message.kind is Kind.NOTICE and message.number > covered:
            speakers = speakers.seen(message)
    return speakers, told


def _spoken(message: Message, covered: int) -> bool:
    return (
        message.kind in _SPOKEN
        and message.role is not Role.SYSTEM
        and message.visibility is not Visibility.USER
        and message.number > covered
    )


def _files(known: tuple[str, ...], messages: Iterable[Message]) -> tuple[str, ...]:
    named = [file_id for message in messages for part in message.parts for file_id in _named(part)]
    return tuple(dict.fromkeys((*known, *named))) if named else known


def _named(part: object) -> Sequence[str]:
    """The files that a part shows to the model: those that people attach, and the pictures that tools hand over."""
    match part:
        case File(file_id=file_id):
            return (file_id,)
        case ToolResult(media=media):
            return [shown.file_id for shown in media if shown.media_type in PICTURES]
        case _:
            return ()


def _size(message: Message) -> int:
    return MESSAGE_BYTES + sum(PART_BYTES + _length(part) for part in message.parts)


def _length(part: object) -> int:
    match part:
        case Text(text=text) | Reasoning(text=text):
            return len(text)
        case ToolCall(args=text) | ToolResult(result=text) | FileReference(content=text):
            return len(text)
        case _:
            return 0
