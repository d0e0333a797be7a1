"""Where messages of another program belong, and what a history needs before any model takes it."""

from collections.abc import Sequence

from hypothesis import given
from hypothesis import strategies as st

from perdure.core.ids import MessageNumber
from perdure.core.imports import NEVER_ANSWERED, LiveMessage, Placing, placed, repaired
from perdure.core.message import AnyPart, NewMessage, Role, Text, ToolCall, ToolResult

U, A, T = Role.USER, Role.ASSISTANT, Role.TOOL


def live(*messages: tuple[str | None, Role]) -> list[LiveMessage]:
    return [LiveMessage(MessageNumber(number), role, key) for number, (key, role) in enumerate(messages, start=1)]


def test_what_follows_is_appended_and_what_is_there_is_not() -> None:
    there = live(("a", U), ("b", A))
    assert placed(there, None, [("a", U), ("b", A)]) == Placing(known=2)
    assert placed(there, None, [("a", U), ("b", A), ("c", U)]) == Placing(known=2)
    assert placed(there, "b", [("c", U)]) == Placing(known=0)


def test_another_version_of_a_question_replaces_it() -> None:
    there = live(("a", U), ("b", A), ("c", U), ("d", A))
    assert placed(there, "b", [("c2", U), ("d2", A)]) == Placing(cut_from=MessageNumber(3))


def test_another_answer_is_a_version_of_the_question_that_it_answers() -> None:
    there = live(("a", U), ("b", A), (None, T), ("c", U))
    again = (MessageNumber(1),)
    assert placed(there, "a", [("b2", A)]) == Placing(cut_from=MessageNumber(1), again=again)


def test_a_result_that_came_late_answers_its_call_instead_of_the_repair() -> None:
    there = live(("a", U), ("b", A), (None, T))
    again = (MessageNumber(1), MessageNumber(2), MessageNumber(3))
    assert placed(there, "b", [("r", T), ("c", A)]) == Placing(cut_from=MessageNumber(1), again=again)


def test_a_chat_that_went_on_here_keeps_what_was_said() -> None:
    there = live(("a", U), ("b", A), (None, U), (None, A))
    again = (MessageNumber(1), MessageNumber(2))
    assert placed(there, "b", [("c", U)]) == Placing(again=again, apart=True)
    assert placed(there, None, [("a", U), ("b", A)]) == Placing(known=2)


def said(role: Role, *parts: AnyPart, key: str | None = None) -> NewMessage:
    return NewMessage(role=role, parts=parts, client_id=key)


def test_open_calls_get_an_answer_and_orphan_results_become_words() -> None:
    history = repaired(
        [
            said(T, ToolResult("x", "", "lost"), key="0"),
            said(U, Text("do"), key="1"),
            said(A, ToolCall("c", "run", "{}"), ToolCall("c", "run", "{}"), key="2"),
            said(T, ToolResult("c", "", "one"), key="3"),
            said(U, Text("next"), key="4"),
            said(A, ToolCall("", "", "{}"), key="5"),
        ]
    )
    assert [message.role for message in history] == [A, U, A, T, T, U, A, T]
    assert history[0].parts == (Text("Result of a call that is not in the history:\nlost"),)
    assert [part.call_id for part in history[2].parts if isinstance(part, ToolCall)] == ["c", "c-2"]
    assert history[3].parts == (ToolResult("c", "run", "one"),)
    assert history[4].parts == (ToolResult("c-2", "run", NEVER_ANSWERED, is_error=True),)
    assert sound(history)


PARTS = st.one_of(
    st.builds(Text, text=st.text(max_size=5)),
    st.builds(ToolCall, call_id=st.sampled_from(["", "a", "b", "a-2"]), tool=st.just("t"), args=st.just("{}")),
    st.builds(ToolResult, call_id=st.sampled_from(["", "a", "b"]), tool=st.just(""), result=st.text(max_size=3)),
)


def spoken(role: Role, parts: list[AnyPart]) -> NewMessage:
    return said(role, *parts)


MESSAGES = st.builds(spoken, st.sampled_from([U, A, T]), st.lists(PARTS, min_size=1, max_size=4))


def sound(history: Sequence[NewMessage]) -> bool:
    """Every call has one result, right after it; names are used once."""
    opened, names = set[str](), set[str]()
    for message in history:
        results = {part.call_id for part in message.parts if isinstance(part, ToolResult)}
        calls = [part.call_id for part in message.parts if isinstance(part, ToolCall)]
        if (message.role is T) != bool(results) or not results <= opened or (opened and message.role is not T):
            return False
        if names & set(calls) or len(calls) != len(set(calls)) or (calls and message.role is not A):
            return False
        names |= set(calls)
        opened = opened - results | set(calls)
    return not opened


@given(st.lists(MESSAGES, max_size=8))
def test_whatever_is_imported_is_sound_and_stays_as_it_is_when_repaired_again(messages: list[NewMessage]) -> None:
    history = repaired(messages)
    assert sound(history)
    assert sound(repaired(history))
    texts = [part.text for message in messages for part in message.parts if isinstance(part, Text)]
    told = "".join(part.text for message in history for part in message.parts if isinstance(part, Text))
    assert all(text in told for text in texts)
