"""Chats of other programs: what is new in them, where it belongs, and how it becomes a history that any model takes."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from enum import StrEnum

import msgspec
from msgspec import Struct, structs

from perdure.core.ids import MessageNumber
from perdure.core.message import AnyPart, NewMessage, Role, Text, ToolCall, ToolResult

KEY_PREFIX = "import:"
"""What the name begins with that an imported message has in its chat."""

NEVER_ANSWERED = msgspec.json.encode("The call was not answered before the chat was imported.").decode()
ORPHAN = "Result of a call that is not in the history:\n"


class Outcome(StrEnum):
    CREATED = "created"
    ADDED = "added"
    UNCHANGED = "unchanged"
    APART = "apart"
    """The chat had gone on here: what is new went into another chat, after what both have."""
    DELETED = "deleted"
    """Somebody deleted the chat here. It stays deleted."""


class LiveMessage(Struct, frozen=True):
    """A message of the history, as far as it matters where new ones belong."""

    number: MessageNumber
    role: Role
    key: str | None
    """What the source calls it; None where it did not come from there."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Placing:
    """Where the messages of a batch belong."""

    known: int = 0
    """How many of the batch are there already, from its first on."""
    cut_from: MessageNumber | None = None
    """The message that is replaced, with all that follow."""
    again: tuple[MessageNumber, ...] = ()
    """The numbers of those that are said again before the new ones."""
    apart: bool = False
    """Whether the chat has gone on here, so that what is new goes into another one, after what is said again."""


class OutOfPlace(Exception):
    """The batch follows a message that is not in the history."""


def placed(live: Sequence[LiveMessage], after: str | None, batch: Sequence[tuple[str, Role]]) -> Placing:
    """Where these messages belong that follow the message `after`, or begin the chat."""
    imported = [message for message in live if message.key is not None]
    keys = [message.key for message in imported]
    if after is not None and after not in keys:
        raise OutOfPlace
    at = 0 if after is None else keys.index(after) + 1
    known = 0
    while known < len(batch) and at + known < len(keys) and keys[at + known] == batch[known][0]:
        known += 1
    if known == len(batch):
        return Placing(known=known)
    place = at + known
    if any(message.key is None and message.role is Role.USER for message in live):
        return Placing(known=known, again=_numbers(live, imported, 0, place), apart=True)
    if place == len(imported) and batch[known][1] is not Role.TOOL:
        return Placing(known=known)
    return _cut(live, imported, place, batch[known][1], known)


def _cut(live: Sequence[LiveMessage], imported: Sequence[LiveMessage], place: int, role: Role, known: int) -> Placing:
    """Another version of what follows. A version begins with what a person says, as edits do."""
    if place < len(imported) and imported[place].role is Role.USER and role is Role.USER:
        return Placing(known=known, cut_from=imported[place].number)
    asked = next((index for index in reversed(range(place)) if imported[index].role is Role.USER), None)
    if asked is None:
        if place == len(imported):
            return Placing(known=known)
        return Placing(known=known, again=_numbers(live, imported, 0, place), apart=True)
    again = _numbers(live, imported, asked, place)
    return Placing(known=known, cut_from=imported[asked].number, again=again)


def _numbers(
    live: Sequence[LiveMessage], imported: Sequence[LiveMessage], first: int, end: int
) -> tuple[MessageNumber, ...]:
    """From one imported message to before another, with the repairs between them."""
    if first == end:
        return ()
    begin = live[0].number if first == 0 else imported[first].number
    beyond = imported[end].number if end < len(imported) else live[-1].number + 1
    kept = [message for message in live if begin <= message.number < beyond]
    here = next((at for at, each in enumerate(kept) if each.key is None and each.role is Role.USER), len(kept))
    return tuple(message.number for message in kept[:here])


def repaired(messages: Sequence[NewMessage]) -> tuple[NewMessage, ...]:
    """The messages so that every call is answered once, right after it, and every result answers a call."""
    repair = _Repair()
    for message in messages:
        repair.add(message)
    repair.close()
    return tuple(repair.messages)


class _Repair:
    def __init__(self) -> None:
        self.messages: list[NewMessage] = []
        self._open: dict[str, ToolCall] = {}
        """Calls without a result, by what the source calls them."""
        self._used: set[str] = set()

    def add(self, message: NewMessage) -> None:
        results = [part for part in message.parts if isinstance(part, ToolResult)]
        others = tuple(part for part in message.parts if not isinstance(part, ToolResult))
        if results:
            self._answer(message, [result for result in results if result.result != NEVER_ANSWERED], named=not others)
        if others:
            self.close()
            parts = tuple(self._renamed(others)) if message.role is Role.ASSISTANT else tuple(_told(others))
            role = Role.ASSISTANT if message.role is Role.TOOL else message.role
            self.messages.append(structs.replace(message, role=role, parts=parts))

    def _answer(self, message: NewMessage, results: Sequence[ToolResult], *, named: bool) -> None:
        answers, orphans = list[AnyPart](), list[AnyPart]()
        for result in results:
            call = self._open.pop(result.call_id, None)
            if call is None:
                orphans.append(Text(f"{ORPHAN}{result.result}"))
            else:
                answers.append(structs.replace(result, call_id=call.call_id, tool=call.tool))
        client_id = message.client_id if named else None
        if answers:
            self.messages.append(
                structs.replace(message, role=Role.TOOL, parts=tuple(answers), client_id=client_id, model=None)
            )
        if orphans:
            self.close()
            named_now = None if answers else client_id
            said = structs.replace(message, role=Role.ASSISTANT, parts=tuple(orphans), client_id=named_now)
            self.messages.append(structs.replace(said, created_by=None))

    def close(self) -> None:
        """Answer what nobody answered."""
        if not self._open:
            return
        results = tuple(
            ToolResult(call.call_id, call.tool, NEVER_ANSWERED, is_error=True) for call in self._open.values()
        )
        self._open = {}
        at = self.messages[-1].said_at
        self.messages.append(NewMessage(role=Role.TOOL, parts=results, said_at=at))

    def _renamed(self, parts: Sequence[AnyPart]) -> Iterator[AnyPart]:
        """The parts with calls under names that no other call of the chat has."""
        for part in parts:
            if not isinstance(part, ToolCall):
                yield part
                continue
            name = part.call_id or "call"
            count = 1
            while name in self._used:
                count += 1
                name = f"{(part.call_id or 'call')[:50]}-{count}"
            self._used.add(name)
            call = structs.replace(part, call_id=name, tool=part.tool or "tool")
            self._open[part.call_id if part.call_id not in self._open else name] = call
            yield call


def _told(parts: Sequence[AnyPart]) -> Iterator[AnyPart]:
    """What somebody else than a model said: calls are told in words."""
    for part in parts:
        yield Text(f"{part.tool}({part.args})") if isinstance(part, ToolCall) else part
