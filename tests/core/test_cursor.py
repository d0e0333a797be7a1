"""Cursors: what is written is read back, and nothing else is."""

import re
from uuid import uuid4

import pytest
from hypothesis import given
from hypothesis import strategies as st

from perdure.core.chat import Chat, Status
from perdure.core.cursor import Cursor, Line
from perdure.core.errors import InvalidInput
from perdure.core.ids import ChatId

large, small = st.integers(0, 10**18 - 1), st.integers(0, 10**9 - 1)
cursors = st.builds(Cursor, large, large, large, small, small, st.none() | small, st.none() | small)


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


def test_a_cursor_names_the_line_of_the_database_that_it_is_on() -> None:
    assert str(Cursor(12, 3, 10, 1, 57, line=2)) == "12.3.10.1.57~2"


@pytest.mark.parametrize(
    ("snapshot", "line", "lost"),
    [
        (20, 3, False),
        (21, 3, True),
        # From the line before: what the chat had when the failover came is in its past, and nothing after it.
        (15, 2, False),
        (16, 2, True),
        (9, 1, False),
        (10, 1, True),
        # On a line that the chat was never changed on, as far as the database knows.
        (1, 4, True),
        # From a version that did not know of lines.
        (20, None, False),
        (21, None, True),
    ],
)
def test_a_cursor_is_lost_when_it_is_not_in_the_past_of_the_chat(snapshot: int, line: int | None, lost: bool) -> None:
    chat = Chat(id=ChatId(uuid4()), status=Status.WAITING, snapshot_version=20)
    assert Cursor(snapshot, line=line).lost(chat, Line(3, {2: 15, 1: 9})) is lost
