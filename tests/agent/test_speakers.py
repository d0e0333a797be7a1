"""Whose words a model is told are whose."""

from datetime import UTC, datetime
from uuid import UUID

from hypothesis import given
from hypothesis import strategies as st

from perdure.agent.model_view import ModelView
from perdure.agent.speakers import BEFORE, SEVERAL
from perdure.core.ids import MessageNumber, UserId
from perdure.core.message import Kind, Message, Role, Text

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


said = st.tuples(st.sampled_from([ADA, BOB, None]), st.sampled_from([Role.USER, Role.ASSISTANT]))


@given(st.lists(said, max_size=12), st.data())
def test_what_was_told_stays_told_and_does_not_depend_on_how_it_was_read(
    spoken: list[tuple[UserId | None, Role]], data: st.DataObject
) -> None:
    messages = [message(number, by, role) for number, (by, role) in enumerate(spoken, 1)]
    whole = ModelView().after(messages)
    view, at = ModelView(), 0
    while at < len(messages):
        more = data.draw(st.integers(1, len(messages) - at))
        longer = view.after(messages[at : at + more], messages[:at])
        assert longer.prompt[: len(view.prompt)] == view.prompt
        view, at = longer, at + more
    assert (view.prompt, view.tokens, view.speakers) == (whole.prompt, whole.tokens, whole.speakers)
    for shown, real in zip(whole.prompt, messages, strict=True):
        # A name is put before a message, and never in place of one.
        assert shown.parts[-1:] == real.parts
        assert shown.created_by == real.created_by
