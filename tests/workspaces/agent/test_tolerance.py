"""Where new lines land when the quoted ones matched only because blanks were ignored."""

import re
from dataclasses import dataclass, replace
from pathlib import Path

import pytest
from hypothesis import assume, example, given, settings
from hypothesis import strategies as st

from perdure.workspaces.agent.edits import Edit, apply

PAGE = Path(__file__).parents[3] / "docs/architecture/edits.md"
EXAMPLE = re.compile(r"^\| ([^|`]+) \| `([^`]*)` \| `([^`]*)` \| `([^`]*)` \| `([^`]*)` \|$", re.MULTILINE)
PICTURES = str.maketrans({"→": "\t", "·": " ", "⏎": "\n"})

EXAMPLES = EXAMPLE.findall(PAGE.read_text())


def test_the_page_shows_every_part_of_the_rule() -> None:
    assert len(EXAMPLES) >= 16


@pytest.mark.parametrize("example", EXAMPLES, ids=lambda example: example[0])
def test_what_the_page_shows_is_what_happens(example: tuple[str, ...]) -> None:
    file, old, new, becomes = (text.translate(PICTURES) for text in example[1:])
    assert apply(file, Edit(old, new)) == becomes


@dataclass(frozen=True)
class Story:
    """A block of a file, how it was quoted and what shall stand there; levels are counted from the block's own."""

    unit: str
    quoted_unit: str
    base: int
    quoted_base: int
    old: list[int]
    new: list[int]

    def written(self, names: str, levels: list[int], unit: str, base: int) -> str:
        return "".join(f"{unit * (base + level)}{names}{number}\n" for number, level in enumerate(levels))

    @property
    def around(self) -> str:
        """Enough of the file to see how it indents."""
        return f"first\n{self.unit}second\n{self.unit * 2}third\nfourth\n{self.unit}fifth\nsixth\n"

    def after(self, new: str) -> str:
        """The file once the new text stands in the place of the old."""
        before = self.written("old", self.old, self.unit, self.base)
        old = self.written("old", self.old, self.quoted_unit, self.quoted_base)
        text = self.around + before
        # What is in the file as it was quoted is replaced as it is, unless it begins with a part of an indentation.
        assume(old not in text or (old[0] in " \t" and f"\n{old}" not in text and text.count(old) == 1))
        assume(old.split() != new.split())
        return apply(text, Edit(old, new))


@st.composite
def shapes(draw: st.DrawFn) -> list[int]:
    """Levels of a block: it begins at its own level, goes in one at a time, and never out of itself."""
    levels = [0]
    for step in draw(st.lists(st.integers(-3, 1), max_size=6)):
        levels.append(max(0, levels[-1] + step))
    return levels


@st.composite
def stories(draw: st.DrawFn) -> Story:
    """Two widths of spaces can only be told apart where the quoted block shows its own."""
    units = st.sampled_from(["\t", "  ", "   ", "    ", "        "])
    unit, quoted_unit = draw(units), draw(units)
    old, new = draw(shapes()), draw(shapes())
    if unit != quoted_unit and "\t" not in (unit, quoted_unit):
        old = [0, 1, *old]
    if quoted_unit != "\t":
        new = [0, 1, *new]
    return Story(unit, quoted_unit, draw(st.integers(0, 4)), draw(st.integers(0, 4)), old, new)


@given(story=stories())
def test_the_new_text_keeps_its_shape_where_the_old_text_matched(story: Story) -> None:
    new = story.written("new", story.new, story.quoted_unit, story.quoted_base)
    expected = story.written("new", story.new, story.unit, story.base)
    assert story.after(new) == story.around + expected


@given(story=stories())
def test_a_new_text_that_stands_right_is_not_moved(story: Story) -> None:
    right = story.written("new", story.new, story.unit, story.base)
    assert story.after(right) == story.around + right


@given(story=stories(), kept=st.integers(0, 6))
def test_lines_that_stay_keep_the_bytes_of_the_file(story: Story, kept: int) -> None:
    wrapped = story.written("old", story.old, story.quoted_unit, story.quoted_base).splitlines(keepends=True)
    place = min(kept, len(wrapped))
    new = "".join([*wrapped[:place], story.quoted_unit * story.quoted_base + "added\n", *wrapped[place:]])
    held = story.written("old", story.old, story.unit, story.base).splitlines(keepends=True)
    expected = "".join([*held[:place], story.unit * story.base + "added\n", *held[place:]])
    assert story.after(new) == story.around + expected


@given(story=stories(), deep=st.integers(0, 2), taken=st.sets(st.integers(0, 9)))
def test_lines_taken_out_leave_the_others_as_they_are_in_the_file(story: Story, deep: int, taken: set[int]) -> None:
    story = replace(story, old=[deep, *story.old])
    quoted = story.written("old", story.old, story.quoted_unit, story.quoted_base).splitlines(keepends=True)
    held = story.written("old", story.old, story.unit, story.base).splitlines(keepends=True)
    new, expected = ("".join(line for at, line in enumerate(text) if at not in taken) for text in (quoted, held))
    assume(new)
    assert story.after(new) == story.around + expected


@example(story=Story("\t", "  ", 0, 0, [0, 0, 1, 2, 0], []), right=False, changed={1}, taken={2})
@example(story=Story("    ", "  ", 0, 0, [0, 0, 1, 2], []), right=False, changed=set(), taken={2})
@example(story=Story("    ", "  ", 1, 1, [0, 0, 1], []), right=True, changed={1}, taken={2})
@example(story=Story("    ", "  ", 1, 0, [0, 1, 2], []), right=True, changed=set(), taken={1})
@example(story=Story("  ", "    ", 2, 0, [0, 1, 2, 0], []), right=True, changed={1}, taken=set())
@settings(max_examples=400)
@given(story=stories(), right=st.booleans(), changed=st.sets(st.integers(0, 9)), taken=st.sets(st.integers(0, 9)))
def test_lines_that_were_kept_say_where_the_new_text_stands(
    story: Story, right: bool, changed: set[int], taken: set[int]
) -> None:
    quoted = story.written("old", story.old, story.quoted_unit, story.quoted_base).splitlines(keepends=True)
    held = story.written("old", story.old, story.unit, story.base).splitlines(keepends=True)
    left = [at for at in range(len(held)) if at not in taken]
    # A line that is the same but for its blanks, which differ, tells.
    assume(any(held[at] != quoted[at] for at in left if at not in changed))
    text = held if right else quoted
    new, expected = (
        "".join(lines[at].replace("old", "new") if at in changed else lines[at] for at in left)
        for lines in (text, held)
    )
    assert story.after(new) == story.around + expected
