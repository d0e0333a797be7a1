"""What a command renamed is told as renamed, and what it only moved about is not."""

from tests.workspaces.agent.test_snapshots import CHAT, Story
from tests.workspaces.inside import Inside
from tests.workspaces.snapshot_cases import TERMS

from perdure.workspaces.wire import Difference


async def changed(story: Story) -> Difference:
    return await story.inside.client.snapshots.changed(CHAT, story.turn, story.turn, TERMS)


def told(difference: Difference) -> set[tuple[str, str, str]]:
    return {(file.status, file.was, file.path) for file in difference.files}


async def test_a_renamed_file_is_one_file_with_both_names(inside: Inside) -> None:
    story = Story(inside)
    await story.does("mkdir src; seq 1 40 > src/moved.txt; head -c 300000 /dev/urandom > large.bin; touch empty")
    await story.does("mv src/moved.txt named.txt; mv large.bin src/; mv empty void; echo x > other")
    difference = await changed(story)
    assert told(difference) == {
        ("renamed", "src/moved.txt", "named.txt"), ("renamed", "large.bin", "src/large.bin"),
        ("deleted", "", "empty"), ("new", "", "void"), ("new", "", "other"),
    }  # fmt: skip
    assert "diff --git a/src/moved.txt b/named.txt\nrename from src/moved.txt\nrename to named.txt\n" in difference.diff
    assert (difference.count, difference.complete) == (5, True)


async def test_a_file_renamed_and_edited_shows_the_edited_lines_alone(inside: Inside) -> None:
    story = Story(inside)
    await story.does("seq 1 40 > numbers; printf 'one\\ntwo\\n' > words")
    await story.does("mv numbers digits; sed -i s/^20$/twenty/ digits; rm words; printf 'three\\nfour\\n' > letters")
    difference = await changed(story)
    assert told(difference) == {("renamed", "numbers", "digits"), ("deleted", "", "words"), ("new", "", "letters")}
    assert "--- a/numbers\n+++ b/digits\n" in difference.diff
    (digits,) = (file for file in difference.files if file.path == "digits")
    assert (digits.added, digits.removed) == (1, 1)


async def test_each_file_is_the_old_one_of_at_most_one_new_one(inside: Inside) -> None:
    story = Story(inside)
    await story.does("mkdir a b; seq 1 9 > a/x; seq 1 9 > b/y")
    await story.does("mkdir c; cp a/x c/x; cp b/y c/y; cp b/y c/z; rm -r a b")
    assert told(await changed(story)) == {("renamed", "a/x", "c/x"), ("renamed", "b/y", "c/y"), ("new", "", "c/z")}


async def test_going_back_shows_the_rename_the_other_way_round(inside: Inside) -> None:
    story = Story(inside)
    await story.does("seq 1 9 > before")
    await story.does("mv before after")
    assert told(await story.preview(2)) == {("renamed", "after", "before")}


async def test_lines_that_look_like_the_head_of_a_diff_are_counted(inside: Inside) -> None:
    story = Story(inside)
    await story.does("printf -- '-- one\\nselect\\n' > q.sql")
    await story.does("printf '++ two\\nselect\\n' > q.sql")
    (file,) = (await changed(story)).files
    assert (file.added, file.removed) == (1, 1)
