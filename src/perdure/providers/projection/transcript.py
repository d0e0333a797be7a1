"""The whole transcript, projected for one target: the door every request goes through."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field

from perdure.core.message import (
    AnyPart,
    File,
    FileReference,
    FinishReason,
    Kind,
    NewMessage,
    NoticePart,
    Reasoning,
    Role,
    Source,
    Text,
    ToolCall,
    ToolResult,
    Visibility,
)
from perdure.providers.projection.calls import NO_RESULT, Names, Pairing, Slot
from perdure.providers.projection.media import PICTURES, Attachment, resolved
from perdure.providers.projection.provider_blocks import repaired, told, with_sound_arguments
from perdure.providers.projection.turns import Answer, AssistantTurn, Target, ToolTurn, Turn, UserTurn
from perdure.providers.request import FileContent

OPENING = "(The conversation goes on from here.)"
CONTINUE = "Continue."


def shaped(turns: Iterable[Turn], *, begins: bool) -> list[Turn]:
    """Turns in order. A transcript that begins here begins with the user."""
    ordered = [turn for turn in map(_without_loose_end, turns) if not _empty(turn)]
    if begins and (not ordered or not isinstance(ordered[0], UserTurn)):
        ordered.insert(0, UserTurn((Text(OPENING),)))
    return _merged(ordered)


def ended(turns: list[Turn], *, may_end_with_assistant: bool) -> list[Turn]:
    """The turns, with a word of the user's at the end where the model must not have the last one."""
    if turns and isinstance(turns[-1], AssistantTurn) and not may_end_with_assistant:
        turns.append(UserTurn((Text(CONTINUE),)))
    return turns


def _merged(turns: list[Turn]) -> list[Turn]:
    """Turns of a kind joined. Answers stay with the calls they answer."""
    whole: list[Turn] = []
    for turn in turns:
        match whole[-1] if whole else None, turn:
            case UserTurn(parts=before), UserTurn(parts=more):
                whole[-1] = UserTurn((*before, *more))
            case AssistantTurn(parts=before), AssistantTurn(parts=more):
                whole[-1] = AssistantTurn((*before, *more))
            case _:
                whole.append(turn)
    return whole


def _without_loose_end(turn: Turn) -> Turn:
    """An answer may not end in reasoning: it was cut off before what it was for."""
    if not isinstance(turn, AssistantTurn):
        return turn
    parts = turn.parts
    while parts and isinstance(parts[-1], Reasoning):
        parts = parts[:-1]
    return AssistantTurn(parts)


def _empty(turn: Turn) -> bool:
    match turn:
        case UserTurn(parts=content) | AssistantTurn(parts=content) | ToolTurn(answers=content):
            return not content


NO_OUTPUT = "(no output)"
_FOR_PEOPLE = frozenset({Kind.COMPACTION, Kind.NOTICE})

# An assistant message and the slots of its calls; or a message of anybody else.
_Placed = tuple[list[AnyPart], list[Slot]]


@dataclass(slots=True)
class Ids:
    """What the calls of a transcript are called, so far."""

    taken: set[str] = field(default_factory=set[str])


def project(messages: Iterable[NewMessage], target: Target, files: Mapping[str, FileContent]) -> list[Turn]:
    """The messages as turns that a strict validator of the target accepts."""
    return project_rest(messages, target, files, Ids(), begins=True)


def project_rest(
    messages: Iterable[NewMessage], target: Target, files: Mapping[str, FileContent], ids: Ids, *, begins: bool
) -> list[Turn]:
    """The messages after those whose calls have these ids already; or all of them, where they begin."""
    shown = [message for message in messages if for_models(message)]
    turns = _Transcript(target, files, ids).turns(shown)
    paused = target.continues_paused and _paused(shown, turns)
    return ended(shaped(turns, begins=begins), may_end_with_assistant=paused)


def project_beginning(messages: Iterable[NewMessage], target: Target, ids: Ids, *, begins: bool) -> list[Turn]:
    """Messages without files that others follow."""
    shown = [message for message in messages if for_models(message)]
    return shaped(_Transcript(target, {}, ids).turns(shown), begins=begins)


def _paused(shown: list[NewMessage], turns: list[Turn]) -> bool:
    """Whether the model stopped in the middle of its own provider's tools, and means to go on by itself."""
    if not shown or shown[-1].finish_reason is not FinishReason.PAUSED:
        return False
    last = turns[-1] if turns else None
    return isinstance(last, AssistantTurn) and any(isinstance(part, ToolCall) for part in last.parts)


def for_models(message: NewMessage) -> bool:
    return message.visibility is not Visibility.USER and message.kind not in _FOR_PEOPLE


class _Transcript:
    def __init__(self, target: Target, files: Mapping[str, FileContent], ids: Ids) -> None:
        self._target = target
        self._files = files
        self._pairing = Pairing(Names(target.call_id_length, ids.taken))
        self._ids = ids

    def turns(self, messages: list[NewMessage]) -> list[Turn]:
        placed = [item for message in messages for item in self._placed(message)]
        # Only now has every result found its call.
        return [turn for item in placed for turn in self._turns_of(item)]

    def _placed(self, message: NewMessage) -> Iterator[UserTurn | _Placed]:
        if message.role is Role.ASSISTANT:
            yield self._assistant(message.parts)
        else:
            said = tuple(self._said(message.parts))
            if said:
                yield UserTurn(said)
        results = [part for part in message.parts if isinstance(part, ToolResult) and not part.provider_executed]
        orphans = [slot for result in results if (slot := self._pairing.result(result)) is not None]
        if orphans:
            yield [slot.call for slot in orphans], orphans

    def _said(self, parts: Iterable[AnyPart]) -> Iterator[Text | Attachment]:
        """What a message that is not the model's says to it."""
        for part in parts:
            match part:
                case Text(text=text) if text.strip():
                    yield Text(text)
                case File():
                    yield self._file(part.file_id, part.name)
                case FileReference():
                    lines = f"lines {part.start_line} to {part.end_line}"
                    yield Text(f'<file name="{part.file_name}" {lines}>\n{part.content}\n</file>')
                case ToolResult(provider_executed=True):
                    yield told(part)
                case _:
                    pass

    def _assistant(self, parts: tuple[AnyPart, ...]) -> _Placed:
        kept = [
            with_sound_arguments(part)
            for part in repaired(
                (part for part in parts if self._kept(part)), readable=self._target.replays, seen=self._ids.taken
            )
        ]
        local = [part for part in kept if isinstance(part, ToolCall) and not part.provider_executed]
        slots = self._pairing.calls(local)
        renamed = iter(slots)
        return [
            next(renamed).call if isinstance(part, ToolCall) and not part.provider_executed else part for part in kept
        ], slots

    def _kept(self, part: AnyPart) -> bool:
        match part:
            case Reasoning():
                return self._target.replays(part) or (self._target.reasoning_as_text and bool(part.text.strip()))
            case ToolResult(provider_executed=executed):
                return executed
            case Source() | File() | FileReference() | NoticePart():
                return False
            case _:
                return True

    def _turns_of(self, item: UserTurn | _Placed) -> Iterator[Turn]:
        if isinstance(item, UserTurn):
            yield item
            return
        parts, slots = item
        if slots and not self._target.tools:
            yield from self._told(parts, slots)
            return
        readable = tuple(part for part in parts if isinstance(part, Text | Reasoning | ToolCall | ToolResult))
        yield AssistantTurn(readable)
        if slots:
            yield ToolTurn(tuple(self._answer(slot) for slot in slots))

    def _told(self, parts: list[AnyPart], slots: list[Slot]) -> Iterator[Turn]:
        """An exchange with tools in words, for a request that offers none."""
        spoken = (part for part in parts if isinstance(part, Text | ToolResult))
        said = [told(part) if isinstance(part, ToolResult) else part for part in spoken]
        calls = [Text(f"[called {slot.call.tool} {slot.call.args}]") for slot in slots]
        yield AssistantTurn((*said, *calls))
        answers = [self._answer(slot) for slot in slots]
        words = (Text(f"[{answer.tool} answered]\n{answer.text}") for answer in answers)
        yield UserTurn((*words, *(item for answer in answers for item in answer.attachments)))

    def _answer(self, slot: Slot) -> Answer:
        call, result = slot.call, slot.result
        if result is None:
            return Answer(call.call_id, call.tool, NO_RESULT, error=True)
        # What a tool hands over besides pictures is for people: the result says what it is.
        shown = [item for item in result.media if item.media_type in PICTURES or item.file_id in self._files]
        media = [self._file(item.file_id, item.name) for item in shown]
        notes = [item.text for item in media if isinstance(item, Text)]
        text = "\n".join([result.result, *notes]).strip("\n") if notes else result.result
        return Answer(
            call_id=call.call_id,
            tool=call.tool,
            text=text if text.strip() else NO_OUTPUT,
            error=result.is_error,
            attachments=tuple(item for item in media if isinstance(item, Attachment)),
        )

    def _file(self, file_id: str, name: str) -> Text | Attachment:
        target = self._target
        return resolved(file_id, name, files=self._files, images=target.images, documents=target.documents)
