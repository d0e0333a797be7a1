"""What `edit_files` makes of a file, on the whole corpus: exact, or a helpful refusal."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.workspaces.agent.edit_cases import CASES, Case

from perdure.workspaces.agent.diff import unified
from perdure.workspaces.agent.edits import Edit, Refused, edit_bytes


def content(text: str | bytes | None) -> bytes:
    return text if isinstance(text, bytes) else (text or "").encode()


def test_the_corpus_is_large_and_every_case_has_its_own_name() -> None:
    assert len(CASES) >= 100
    assert len({case.name for case in CASES}) == len(CASES)


@pytest.mark.parametrize("case", [case for case in CASES if case.refusal is None], ids=lambda case: case.name)
def test_an_edit_gives_exactly_these_bytes(case: Case) -> None:
    assert edit_bytes(content(case.before), list(case.edits)) == content(case.after)


@pytest.mark.parametrize("case", [case for case in CASES if case.refusal is not None], ids=lambda case: case.name)
def test_a_refusal_says_what_to_do_in_five_lines(case: Case) -> None:
    with pytest.raises(Refused) as refusal:
        edit_bytes(content(case.before), list(case.edits))
    assert str(case.refusal) in str(refusal.value)
    assert len(str(refusal.value).split("\n")) <= 5


def test_loose_matches_that_touch_are_all_replaced() -> None:
    assert edit_bytes(b"\ta\n\ta\n", [Edit(" a", " b", replace_all=True)]) == b"\tb\n\tb\n"


def test_a_place_that_differs_less_wins_over_one_that_differs_more() -> None:
    before = b"  a \n  b\n    a\n    b\n"
    assert edit_bytes(before, [Edit("  a\n  b", "  c\n  d")]) == b"  c \n  d\n    a\n    b\n"


@pytest.mark.parametrize(
    ("before", "old", "new", "after"),
    [
        ("            a(b)\r\n", "        a(", "            c(", "            c(b)\r\n"),
        ("            a()\n", "a()", "            b()", "            b()\n"),
        ("            a()\n", "a()", "if x:\n                b()", "            if x:\n                b()\n"),
        ("    a()\n", "a()", "    a()", "        a()\n"),
        ("    a = b\n", " b", " c", "    a = c\n"),
    ],
)
def test_a_part_of_an_indentation_is_taken_for_all_of_it(before: str, old: str, new: str, after: str) -> None:
    assert edit_bytes(before.encode(), [Edit(old, new)]).decode() == after


@given(
    before=st.text(alphabet="ab \t\r\n", max_size=40),
    start=st.integers(0, 39),
    size=st.integers(1, 10),
    new=st.text(max_size=8),
)
def test_any_unique_piece_of_any_file_can_be_replaced(before: str, start: int, size: int, new: str) -> None:
    old = before[start : start + size]
    if not old or old == new or "\0" in new or before.find(old) != before.rfind(old) or "\n" in new:
        return
    line = before[before.rfind("\n", 0, before.find(old)) + 1 : before.find(old)]
    if line and not line.strip(" \t"):
        # It quotes a line without all of its indentation.
        return
    assert edit_bytes(before.encode(), [Edit(old, new)]).decode() == before.replace(old, new)


@given(before=st.binary(max_size=60), old=st.text(max_size=6), new=st.text(max_size=6))
def test_an_edit_changes_the_file_or_is_refused(before: bytes, old: str, new: str) -> None:
    try:
        after = edit_bytes(before, [Edit(old, new)])
    except Refused:
        return
    assert after != before or old.strip() == new.strip()


def test_a_diff_names_the_file_and_marks_an_open_end() -> None:
    assert unified("f.txt", b"a\nb", b"a\nc") == (
        "--- a/f.txt\n+++ b/f.txt\n@@ -1,2 +1,2 @@\n a\n"
        "-b\n\\ No newline at end of file\n+c\n\\ No newline at end of file\n"
    )


def test_a_diff_is_bounded() -> None:
    before, after = (b"".join(b"%s %d\n" % (word, n) for n in range(20_000)) for word in (b"old", b"new"))
    assert len(unified("f", before, after)) < 33 * 1024
