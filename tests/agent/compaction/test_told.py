"""What a model is told after any number of compactions: everything, once, in order, the newest question as it is."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from uuid import uuid4

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from msgspec import structs

from perdure.agent.compaction.compact import CUT_MARK, Job, compact
from perdure.agent.compaction.size import Frame, compactable, may_compact
from perdure.agent.compaction.summary import Summary
from perdure.agent.decision import Source
from perdure.agent.history import History, newest_user_message
from perdure.core.card import Card
from perdure.core.errors import ProviderFailure
from perdure.core.failure import ChatError
from perdure.core.ids import ChatId, MessageNumber, OrganisationId, UserId
from perdure.core.message import (
    AnyPart,
    File,
    Kind,
    Message,
    NewMessage,
    Role,
    Text,
    ToolCall,
    ToolResult,
    Usage,
    Visibility,
)
from perdure.core.timing import SystemClock

CARD = Card(id=ChatId(uuid4()), owner_id=UserId(uuid4()), organisation_id=OrganisationId(uuid4()), title="A chat")
WINDOWS = (1_000, 4_000, 200_000)
CALL = ToolCall("chat_summarized", "chat_summarized", "{}")


@dataclass
class Reader:
    """A model that summarises, and remembers what it was shown. Sometimes it does not answer."""

    able: bool = True
    saw: Sequence[NewMessage] | None = None

    async def summarise(self, messages: Sequence[NewMessage]) -> Summary:
        if not self.able:
            raise ProviderFailure(ChatError("away"))
        self.saw = messages
        return Summary("what was said before", Usage())


@dataclass
class Told:
    """A chat whose history grows, is edited and compacted, and what each summary stands for."""

    rows: list[Message] = field(default_factory=list[Message])
    hidden: set[int] = field(default_factory=set[int])
    behind: dict[int, frozenset[int]] = field(default_factory=dict[int, frozenset[int]])
    """By the number of a summary: the messages that whoever wrote it had seen, or a summary of them."""

    @property
    def history(self) -> History:
        return History.of(CARD, 1, (row for row in self.rows if row.number not in self.hidden))

    def add(self, *messages: NewMessage) -> None:
        for message in messages:
            number = MessageNumber(len(self.rows) + 1)
            fields = structs.asdict(message)
            self.rows.append(Message(**fields, number=number, revision=1, created_at=datetime.now(UTC)))

    def says(self, role: Role, size: int, *parts: AnyPart, kind: Kind = Kind.ORDINARY) -> None:
        words = Text(f"<{len(self.rows) + 1}>" + "word " * size)
        visibility = Visibility.BOTH if kind is Kind.ORDINARY else Visibility.MODEL
        self.add(NewMessage(role=role, parts=(words, *parts), kind=kind, visibility=visibility))

    def calls(self, size: int) -> None:
        self.says(Role.ASSISTANT, 1, ToolCall("a", "look", "{}"), ToolCall("b", "look", "{}"))
        for call in ("a", "b"):
            self.add(NewMessage(role=Role.TOOL, parts=(ToolResult(call, "look", "x" * size),)))

    def edited(self, at: int) -> None:
        asked = [row for row in self.history.messages if row.role is Role.USER and row.kind is Kind.ORDINARY]
        if asked:
            number = asked[at % len(asked)].number
            cut = [row for row in self.rows if row.number >= number]
            self.hidden |= {r.number for r in cut if not (r.kind is Kind.BOUNDARY and (r.covers or 0) < number)}
            self.says(Role.USER, 2)

    async def compacted(self, source: Source, window: int, reader: Reader) -> None:
        history = self.history
        if not (compactable if source is Source.MANUAL else may_compact)(history):
            return
        job = Job(history=history, frame=Frame(), window=window, threshold=0.7, source=source, call=CALL)
        rows = (await compact(job, reader, SystemClock())).messages
        self.add(*rows)
        if rows[0].kind is Kind.BOUNDARY:
            boundary = self.rows[-len(rows)]
            shown = _cut(history, boundary) if reader.saw is None else reader.saw
            self.behind[boundary.number] = self._numbers(shown)

    def _numbers(self, shown: Sequence[NewMessage]) -> frozenset[int]:
        own = [self.behind.get(row.number, {row.number}) for row in shown if isinstance(row, Message)]
        return frozenset(number for numbers in own for number in numbers)

    def holds(self) -> None:
        """Every message is told as it is or stands behind the summary; none is missing, none is told twice."""
        history = self.history
        prompt = history.prompt()
        spoken = [row.number for row in history.messages if row.kind in (Kind.ORDINARY, Kind.HOOK)]
        summaries = [row.number for row in prompt if row.kind is Kind.BOUNDARY]
        covered = sorted(self.behind[summaries[0]]) if summaries else []
        assert [row.number for row in prompt] == [*summaries, *spoken[len(covered) :]]
        assert covered == spoken[: len(covered)]
        newest = newest_user_message(history)
        assert newest is None or set(newest.parts) <= {part for row in prompt for part in row.parts}


def _cut(history: History, boundary: Message) -> Sequence[Message]:
    """What a summary stands for that no model wrote: its words are there, as far as there is room."""
    old = [row for row in history.prompt() if row.kind is Kind.BOUNDARY or row.number <= (boundary.covers or 0)]
    text = "".join(part.text for part in boundary.parts if isinstance(part, Text))
    assert CUT_MARK in text
    marks = [part.text.split(">")[0] for row in old for part in row.parts if isinstance(part, Text)]
    assert "bytes left out" in text or all(mark in text for mark in marks)
    return old


sizes = st.sampled_from([1, 40, 400])
compactions = st.tuples(
    st.just("compact"), st.sampled_from(list(Source)), st.sampled_from(WINDOWS), st.sampled_from([True, True, False])
)
steps = st.one_of(
    st.tuples(st.sampled_from(["user", "assistant", "exchange", "file", "hook"]), sizes),
    st.tuples(st.just("notice"), st.just(0)),
    st.tuples(st.just("edit"), st.integers(0, 20)),
    compactions,
    compactions,
)


async def _follow(told: Told, step: tuple[object, ...]) -> None:
    match step:
        case ("compact", Source() as source, int(window), bool(able)):
            await told.compacted(source, window, Reader(able))
        case ("user", int(size)):
            told.says(Role.USER, size)
        case ("file", int(size)):
            told.says(Role.USER, size, File(str(uuid4()), "notes.txt", "text/plain"))
        case ("assistant", int(size)):
            told.says(Role.ASSISTANT, size)
        case ("exchange", int(size)):
            told.calls(10 * size)
        case ("hook", int(size)):
            told.says(Role.USER, size, kind=Kind.HOOK)
        case ("edit", int(at)):
            told.edited(at)
        case _:
            told.add(NewMessage(role=Role.ASSISTANT, parts=(), kind=Kind.NOTICE, visibility=Visibility.USER))


@settings(max_examples=400)
@given(st.lists(steps, max_size=30))
async def test_a_model_is_told_everything_once_and_in_order(script: list[tuple[object, ...]]) -> None:
    told = Told()
    told.says(Role.USER, 5)
    for step in script:
        await _follow(told, step)
        told.holds()


@pytest.mark.parametrize("source", list(Source))
@pytest.mark.parametrize("again", list(Source))
async def test_the_tail_that_a_summary_kept_survives_the_next_one(source: Source, again: Source) -> None:
    told = Told()
    for _ in range(8):
        told.says(Role.USER, 20)
        told.says(Role.ASSISTANT, 200)
    told.says(Role.USER, 20)
    for each in (source, again):
        await told.compacted(each, 4_000, Reader())
        told.holds()
    assert len(told.behind) == 2


async def test_a_long_newest_message_is_not_cut_when_a_summary_stands_for_it() -> None:
    told = Told()
    told.says(Role.USER, 400, File("picture", "cat.png", "image/png"))
    for _ in range(20):
        told.calls(400)
    await told.compacted(Source.AUTOMATIC, 4_000, Reader())
    told.holds()
    assert told.rows[0].number in told.behind[told.history.prompt()[0].number]
    assert told.history.view.files == ("picture",)


class Later(SystemClock):
    """Two seconds pass whenever somebody looks."""

    def __init__(self) -> None:
        self._seconds = 0.0

    def monotonic(self) -> float:
        self._seconds += 2
        return self._seconds


@pytest.mark.parametrize("able", [True, False])
async def test_the_time_that_a_summary_took_is_kept_with_what_people_are_told_of_it(able: bool) -> None:
    chat = Told()
    for _ in range(10):
        chat.says(Role.USER, 40)
        chat.says(Role.ASSISTANT, 40)
    job = Job(history=chat.history, frame=Frame(), window=1_000, threshold=0.7, source=Source.AUTOMATIC, call=CALL)
    rows = (await compact(job, Reader(able), Later())).messages
    assert [(row.kind, row.role, row.runtime_ms) for row in rows] == [
        (Kind.BOUNDARY, Role.USER, None),
        (Kind.COMPACTION, Role.ASSISTANT, 2_000),
        (Kind.COMPACTION, Role.TOOL, None),
    ]
