"""Where a history is cut: the tail is the longest that fits and can stand alone, whatever was said."""

from datetime import UTC, datetime
from time import process_time

from hypothesis import given
from hypothesis import strategies as st

from perdure.agent.compaction.size import cut_at
from perdure.core.ids import MessageNumber
from perdure.core.message import AnyPart, Kind, Message, Role, Text, ToolCall, ToolResult
from perdure.providers.estimate import estimate

Said = tuple[Role, Kind, tuple[AnyPart, ...]]
SHORT, LONG = Text("word"), Text("word " * 30)
USER = (Role.USER, Kind.ORDINARY, (SHORT,))
BOUNDARY = (Role.USER, Kind.BOUNDARY, (SHORT,))


def history(said: list[Said]) -> list[Message]:
    now = datetime.now(UTC)
    return [
        Message(role=role, kind=kind, parts=parts, number=MessageNumber(number), revision=1, created_at=now)
        for number, (role, kind, parts) in enumerate(said, 1)
    ]


def _result(call_id: str) -> Said:
    return Role.TOOL, Kind.ORDINARY, (ToolResult(call_id, "look", "done"),)


def _calls(*call_ids: str, provider_executed: bool = False) -> Said:
    parts = [ToolCall(call_id, "look", "{}", provider_executed=provider_executed) for call_id in call_ids]
    return Role.ASSISTANT, Kind.ORDINARY, (SHORT, *parts)


ids = st.sampled_from(["a", "b", "c"])
anything: st.SearchStrategy[Said] = st.one_of(
    st.sampled_from([USER, (Role.USER, Kind.HOOK, (LONG,)), (Role.ASSISTANT, Kind.ORDINARY, (LONG,))]),
    st.lists(ids, max_size=3, unique=True).map(lambda calls: _calls(*calls)),
    ids.map(lambda call: _calls(call, provider_executed=True)),
    ids.map(_result),
)


def stands_alone(before: list[Message], tail: list[Message]) -> bool:
    """Whether no result in the tail, and none that it misses, belongs to a call before it."""
    answered: set[str] = set()
    for message in reversed(before):
        if message.role is Role.USER:
            break
        if message.role is Role.ASSISTANT:
            calls = [part for part in message.parts if isinstance(part, ToolCall) and not part.provider_executed]
            if any(call.call_id not in answered for call in calls):
                return False
            break
        answered |= {part.call_id for part in message.parts if isinstance(part, ToolResult)}
    return not tail or tail[0].role is not Role.TOOL


@given(st.lists(anything, max_size=12), st.booleans(), st.integers(0, 250))
def test_the_tail_is_the_longest_that_fits_and_stands_alone(said: list[Said], compacted: bool, room: int) -> None:
    prompt = history([*([BOUNDARY] if compacted else []), *said])
    spoken = prompt[1:] if compacted else prompt
    fitting = [
        tail
        for start in range(len(spoken))
        if estimate(tail := spoken[start:]) <= room and stands_alone(spoken[:start], tail)
    ]
    cut = cut_at(prompt, room)
    assert list(cut.tail) == (fitting[0] if fitting else [])
    assert [*cut.old, *cut.tail] == prompt


def _seconds(turns: int) -> float:
    """Processor time that it takes to cut so many turns, at best."""
    turn = [USER, _calls("a", "b"), _result("a"), _result("b")]
    prompt = history(turn * turns)
    best = float("inf")
    for _ in range(5):
        began = process_time()
        cut_at(prompt, 10**9)
        best = min(best, process_time() - began)
    return best


def test_a_history_twelve_times_as_long_takes_about_twelve_times_as_long() -> None:
    # It was a hundred times, when every message was compared with all before it.
    assert _seconds(6_000) < 40 * _seconds(500)
