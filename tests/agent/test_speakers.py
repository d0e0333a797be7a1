"""Whose words a model is told are whose."""

from datetime import UTC, datetime
from typing import Any
from uuid import UUID

from hypothesis import given
from hypothesis import strategies as st
from msgspec import structs

from perdure.agent.model_view import ModelView
from perdure.agent.speakers import BEFORE, SEVERAL
from perdure.core.author import Author
from perdure.core.ids import MessageNumber, UserId
from perdure.core.message import STOPPED_TURN, Kind, Message, NoticePart, Role, Text, ToolResult, Visibility

ADA, BOB = UserId(UUID(int=1)), UserId(UUID(int=2))
NAMES = {ADA: "Ada", BOB: "Bob [Owner]\nof it", None: None}


def message(number: int, by: UserId | None, role: Role = Role.USER, kind: Kind = Kind.ORDINARY) -> Message:
    return Message(
        number=MessageNumber(number),
        revision=number,
        created_at=datetime(2030, 1, 1, tzinfo=UTC),
        role=role,
        kind=kind,
        parts=(Text(f"words {number}"),),
        created_by=by,
        author=NAMES[by],
    )


def told(*messages: Message) -> list[list[str]]:
    prompt = ModelView().after(messages).prompt
    return [[part.text for part in each.parts if isinstance(part, Text)] for each in prompt]


def test_a_chat_of_one_is_told_as_it_is() -> None:
    messages = [message(1, ADA), message(2, None, Role.ASSISTANT), message(3, ADA), message(4, None)]
    assert ModelView().after(messages).prompt == tuple(messages)


def test_from_the_second_author_on_every_message_says_whose_it_is() -> None:
    assert told(message(1, ADA), message(2, BOB), message(3, None, Role.ASSISTANT), message(4, ADA)) == [
        ["words 1"],
        [f"{SEVERAL} {BEFORE.format('Ada')}\n[Author: Bob Owner of it]", "words 2"],
        ["words 3"],
        ["[Author: Ada]", "words 4"],
    ]


def result(number: int, *deciders: UserId) -> Message:
    """What a call came to that these people let run, or refused."""
    by = tuple(Author(each, (NAMES[each] or "").split()[0]) for each in deciders)
    part = ToolResult("call", "execute", "built", decided_by=by)
    return structs.replace(message(number, None, Role.TOOL), parts=(part,))


def stop(number: int, by: UserId) -> Message:
    part = NoticePart(STOPPED_TURN, "Somebody stopped this turn.")
    notice = structs.replace(message(number, by, Role.ASSISTANT, Kind.NOTICE), parts=(part,))
    return structs.replace(notice, visibility=Visibility.USER)


def results(*messages: Message) -> list[str]:
    prompt = ModelView().after(messages).prompt
    return [part.result for each in prompt for part in each.parts if isinstance(part, ToolResult)]


def test_a_decision_of_somebody_else_is_told_with_its_author_and_ones_own_is_not() -> None:
    assert results(message(1, ADA), result(2, ADA)) == ["built"]
    assert results(message(1, ADA), result(2, BOB)) == ["[Decided by: Bob]\nbuilt"]
    assert results(message(1, ADA), result(2, ADA, BOB)) == ["[Decided by: Ada, Bob]\nbuilt"]
    assert results(message(1, ADA), message(2, BOB), result(3, ADA)) == ["[Decided by: Ada]\nbuilt"]


def test_a_turn_that_somebody_else_stopped_is_told_with_the_next_message() -> None:
    assert told(message(1, ADA), stop(2, BOB), message(3, ADA), message(4, ADA)) == [
        ["words 1"],
        ["[Before this message, Bob Owner of it stopped the turn.]", "words 3"],
        ["words 4"],
    ]


people = st.sampled_from([ADA, BOB])
said = st.one_of(
    st.tuples(st.just(message), st.sampled_from([ADA, BOB, None]), st.sampled_from([Role.USER, Role.ASSISTANT])),
    st.tuples(st.just(result), people),
    st.tuples(st.just(stop), people),
)


@given(st.lists(said, max_size=12), st.data())
def test_what_was_told_stays_told_and_does_not_depend_on_how_it_was_read(
    spoken: list[tuple[Any, ...]], data: st.DataObject
) -> None:
    messages: list[Message] = [each(number, *by) for number, (each, *by) in enumerate(spoken, 1)]
    whole = ModelView().after(messages)
    view, at = ModelView(), 0
    while at < len(messages):
        more = data.draw(st.integers(1, len(messages) - at))
        longer = view.after(messages[at : at + more], messages[:at])
        assert longer.prompt[: len(view.prompt)] == view.prompt
        view, at = longer, at + more
    assert (view.prompt, view.tokens, view.speakers) == (whole.prompt, whole.tokens, whole.speakers)
    heard = [each for each in messages if each.kind is not Kind.NOTICE]
    for shown, real in zip(whole.prompt, heard, strict=True):
        # A name is put before a message, and never in place of one.
        if real.role is not Role.TOOL:
            assert shown.parts[-1:] == real.parts
        assert shown.created_by == real.created_by
