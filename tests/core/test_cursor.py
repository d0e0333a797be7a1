"""Cursors: what is written is read back, and nothing else is."""

import re
from uuid import uuid4

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec import structs

from perdure.core.cursor import Cursor
from perdure.core.errors import InvalidInput
from perdure.core.ids import ChatId
from perdure.core.message import NewMessage, Role
from perdure.core.parts import Text
from perdure.machine.diagram import follow
from perdure.machine.transitions.lifecycle import Create

large, small = st.integers(0, 10**18 - 1), st.integers(0, 10**9 - 1)
cursors = st.builds(Cursor, large, large, large, small, small, st.none() | small)


@given(cursors)
def test_a_cursor_is_what_its_text_says(cursor: Cursor) -> None:
    assert Cursor.parse(str(cursor)) == cursor


@given(cursors, cursors)
def test_two_cursors_are_the_same_text_only_if_they_are_the_same(first: Cursor, second: Cursor) -> None:
    assert (str(first) == str(second)) == (first == second)


@given(cursors)
def test_a_whole_snapshot_comes_after_each_of_its_messages(cursor: Cursor) -> None:
    whole = Cursor(cursor.snapshot)
    assert cursor.position <= whole.position < Cursor(cursor.snapshot + 1, number=0).position


@given(st.text(alphabet="0123456789.-x", max_size=20))
def test_any_other_text_is_refused(text: str) -> None:
    refused = False
    try:
        cursor = Cursor.parse(text)
    except InvalidInput:
        refused = True
    else:
        assert Cursor.parse(str(cursor)) == cursor
    assert refused == (re.fullmatch(r"\d+(-\d{1,9})?(\.\d+){4}", text) is None)


@pytest.mark.parametrize(
    "text",
    ["", "1", "1.2.3.4", "1.2.3.4.5.6", "-1.2.3.4.5", "1-.2.3.4.5", "1.2.3.4.5\n", "1.2.3.4.٣", f"{'9' * 19}.2.3.4.5"],
)
def test_texts_that_look_like_cursors_are_refused(text: str) -> None:
    with pytest.raises(InvalidInput):
        Cursor.parse(text)


def test_a_cursor_within_a_revision_names_the_message() -> None:
    assert str(Cursor(12, 3, 10, 1, 57, number=4)) == "12-4.3.10.1.57"


def test_a_cursor_is_ahead_of_a_chat_that_went_back_by_one() -> None:
    said = NewMessage(role=Role.USER, parts=(Text("hi"),))
    chat = structs.replace(follow(None, [Create((said,))], chat_id=ChatId(uuid4())).chat, snapshot_version=7)
    assert [Cursor(snapshot).ahead_of(chat) for snapshot in (6, 7, 8)] == [False, False, True]
