"""A turn's events depend on its messages alone, however the answer arrived."""

from datetime import UTC, datetime
from itertools import pairwise

from hypothesis import given, settings
from hypothesis import strategies as st

from perdure.core.deltas import AnyDelta, ReasoningDelta, TextDelta, ToolCallDelta
from perdure.core.ids import MessageNumber
from perdure.core.message import AnyPart, FinishReason, Message, Reasoning, Role, Text, ToolCall
from perdure.faces.turn import Called, Closed, Opened, Piece, TurnEvent, TurnLog, events_of, pieces

_words = st.text(alphabet=st.sampled_from("ab \n\tü漢字,.é😀"), max_size=60)
_part = st.one_of(
    _words.map(Text),
    _words.map(Reasoning),
    st.builds(ToolCall, call_id=st.just("c"), tool=st.just("look"), args=st.just("{}")),
)
_parts = st.lists(_part, max_size=5).map(tuple)
_MOMENT = datetime(2026, 11, 16, tzinfo=UTC)


def _answer(number: int, parts: tuple[AnyPart, ...]) -> Message:
    return Message(
        number=MessageNumber(number),
        revision=number,
        created_at=_MOMENT,
        role=Role.ASSISTANT,
        parts=parts,
        finish_reason=FinishReason.STOP,
    )


def _deltas(parts: tuple[AnyPart, ...], cuts: list[int]) -> list[AnyDelta]:
    """The parts as a model might send them: in pieces of any size."""
    deltas: list[AnyDelta] = []
    for index, part in enumerate(parts):
        if isinstance(part, ToolCall):
            deltas.append(ToolCallDelta(index, part.call_id, part.tool, part.args))
            continue
        assert isinstance(part, Text | Reasoning)
        kind = TextDelta if isinstance(part, Text) else ReasoningDelta
        places = sorted({0, len(part.text), *(cut for cut in cuts if cut < len(part.text))})
        deltas += [kind(index, part.text[start:end]) for start, end in pairwise(places)] or [kind(index, "")]
    return deltas


@given(_parts, _parts, st.lists(st.integers(0, 60), max_size=12), st.integers(0, 40))
@settings(max_examples=300)
def test_a_turn_is_told_the_same_whether_it_was_watched_or_read(
    first: tuple[AnyPart, ...], second: tuple[AnyPart, ...], cuts: list[int], lost: int
) -> None:
    messages = [_answer(2, first), _answer(3, second)]
    log, told = TurnLog(1), list[TurnEvent]()
    for message in messages:
        deltas = _deltas(message.parts, cuts)
        for delta in deltas[:lost]:
            told += log.arrived(delta)
        if lost < len(deltas):
            # The replica dies, and another gives the same answer from its beginning.
            log.forget()
            for delta in deltas:
                told += log.arrived(delta)
        told += log.committed(message)
        # What a stream says twice is heard once.
        told += log.committed(message)
    assert told == events_of(messages, 1)


@given(_parts, st.lists(st.integers(0, 60), max_size=12), _parts)
@settings(max_examples=300)
def test_nothing_of_an_answer_is_lost_or_told_twice_even_if_another_was_begun_before(
    given_up: tuple[AnyPart, ...], cuts: list[int], final: tuple[AnyPart, ...]
) -> None:
    log, told = TurnLog(1), list[TurnEvent]()
    for delta in _deltas(given_up, cuts):
        told += log.arrived(delta)
    log.forget()
    told += log.committed(_answer(2, final))
    whole = [event for event in told if isinstance(event, Called) or (isinstance(event, Closed) and event.whole)]
    said = iter([event.call if isinstance(event, Called) else event.text for event in whole])
    shown = [part if isinstance(part, ToolCall) else getattr(part, "text", "") for part in final]
    # In this order, with what was given up between.
    assert all(part in said for part in shown if part)
    opened = sum(isinstance(event, Opened) for event in told)
    assert opened == sum(isinstance(event, Closed) for event in told)
    text = "".join(event.text for event in told if isinstance(event, Piece))
    assert text == "".join(event.text for event in told if isinstance(event, Closed))


@given(_words, st.integers(0, 60))
def test_pieces_depend_on_the_text_and_not_on_how_much_of_it_is_known(text: str, known: int) -> None:
    early = list(pieces(text[:known], 0, whole=False))
    assert early == list(pieces(text, 0, whole=True))[: len(early)]
    assert "".join(pieces(text, 0, whole=True)) == text
