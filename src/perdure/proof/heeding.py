"""What must hold after a stop or an edit: the old question goes no further."""

import re
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from math import inf
from uuid import UUID

from perdure.core.message import Text, ToolCall
from perdure.proof.checked_transcript import spoken
from perdure.proof.evidence import ChangeRow, MessageRow
from perdure.proof.observations import Observations
from perdure.proof.run_log import Moved, Violation, clock

_COUNT = re.compile(r"\[\[count:(\d+)\]\]")
_EFFECT = re.compile(r'"effect": ?"([^"/]+/\d+)"')
_END = "end"


def answers_its_question(run: Observations) -> Iterator[Violation]:
    """Every answer is one to what stood above it when it was written, and not to what an edit had hidden."""
    for chat_id, messages in _chats(run.evidence.messages).items():
        for message in messages:
            if message.role == "assistant" and message.kind == "ordinary":
                for text in _foreign(message, _above(message, messages)):
                    yield Violation(7, chat_id, f"message {message.number} {text}")


def moves_are_heeded(run: Observations) -> Iterator[Violation]:
    """After a stop or an edit that a replica had heard of, it asks no model and begins no call for the old question."""
    chats = _chats(run.evidence.messages)
    changes = defaultdict[UUID, list[ChangeRow]](list)
    for change in run.evidence.changes:
        changes[change.chat_id].append(change)
    for moved in run.log.moved:
        for outdated in _outdated(moved, changes[moved.chat_id], chats[moved.chat_id]):
            yield from outdated.broken(run, moved)


@dataclass(frozen=True, slots=True)
class _Outdated:
    """What may not be asked about and not be called, and until when."""

    until: float
    markers: frozenset[str]
    messages: frozenset[int]

    def broken(self, run: Observations, moved: Moved) -> Iterator[Violation]:
        for asked in moved.asked:
            if moved.released < asked.at < self.until and _first_words(asked.text) & self.markers:
                late = asked.at - moved.accepted
                yield Violation(7, moved.chat_id, f"the model was asked {late:.2f} s after {_told(moved)}")
        for effect in run.effects:
            chat_id, message = effect.call.split("/")[:2]
            ours = UUID(chat_id) == moved.chat_id and int(message) in self.messages
            if ours and moved.released < effect.ordered < self.until:
                late = effect.ordered - moved.accepted
                yield Violation(7, moved.chat_id, f"call {effect.call} began {late:.2f} s after {_told(moved)}")


def _outdated(moved: Moved, changes: Sequence[ChangeRow], messages: Sequence[MessageRow]) -> Iterator[_Outdated]:
    """What was in hand when the chat was moved, if its driver knew of that."""
    for change in changes:
        if not moved.begun <= change.at <= moved.accepted or not _known(change, moved):
            continue
        if moved.verb == "edit":
            hidden = [message for message in messages if message.hidden_in == change.snapshot]
            yield _Outdated(inf, _markers(hidden), frozenset(message.number for message in hidden))
        elif change.status == "interrupting" != change.old_status:
            ends = [each.at for each in changes if each.at > change.at and each.status != "interrupting"]
            numbers = frozenset(message.number for message in messages)
            yield _Outdated(min(ends, default=inf), _markers(messages), numbers)


def _told(moved: Moved) -> str:
    answered = moved.released - moved.accepted
    return f"the {moved.verb} of {clock(moved.accepted)}; the commit of {moved.member} took {answered:.2f} s more"


def _known(change: ChangeRow, moved: Moved) -> bool:
    """Whether the replica that drove the chat had heard of the change when its commit was answered."""
    return change.old_writer == moved.member and change.snapshot <= moved.noticed


def _markers(messages: Sequence[MessageRow]) -> frozenset[str]:
    return frozenset(message.client_id for message in messages if message.client_id is not None)


def _first_words(text: str) -> frozenset[str]:
    """The markers in a prompt: each message begins with its own."""
    return frozenset(paragraph.partition(" ")[0] for paragraph in text.split("\n\n"))


def _above(message: MessageRow, messages: Sequence[MessageRow]) -> list[MessageRow]:
    """What was said and visible when a message was written: an edit that hid one and not the other came between."""
    gone = message.hidden_in or inf
    return [
        each
        for each in messages
        if each.number < message.number and each.role == "user" and (each.hidden_in or inf) >= gone
    ]


def _foreign(answer: MessageRow, questions: Sequence[MessageRow]) -> Iterator[str]:
    counts = {int(count) for each in questions for part in each.parts for count in _counts(part)}
    said = spoken(answer.parts)
    for piece in said.split(_END)[:-1] if said[:1].isdigit() else ():
        if piece.count(" ") not in counts:
            yield f"counts to {piece.count(' ')}, which nothing above it asks for"
    markers = _markers(questions)
    for part in answer.parts:
        for effect in _effects(part) if isinstance(part, ToolCall) else ():
            if effect.partition("/")[0] not in markers:
                yield f"calls for {effect}, which nothing above it asks for"


def _counts(part: object) -> list[str]:
    return _COUNT.findall(part.text) if isinstance(part, Text) else []


def _effects(call: ToolCall) -> list[str]:
    """What a call is for. A call that was cut off says nothing."""
    return _EFFECT.findall(call.args)


def _chats(messages: Sequence[MessageRow]) -> dict[UUID, list[MessageRow]]:
    chats = defaultdict[UUID, list[MessageRow]](list)
    for message in messages:
        chats[message.chat_id].append(message)
    return chats
