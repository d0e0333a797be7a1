"""Snapshots: what is kept, what goes back, what is left alone, and what is refused."""

import os
import socket
from dataclasses import dataclass
from pathlib import Path

import pytest
from msgspec import structs
from tests.workspaces.inside import Inside
from tests.workspaces.snapshot_cases import TERMS, tree_hash

from perdure.core.errors import WorkspaceRefused
from perdure.workspaces import wire
from perdure.workspaces.snapshots import SnapshotTerms

CHAT = "chat-1"


def names(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir())


@dataclass
class Story:
    """One chat that works in a workspace, turn by turn."""

    inside: Inside
    chat: str = CHAT
    terms: SnapshotTerms = TERMS
    turn: int = 0

    async def does(self, *commands: str) -> wire.TakenSnapshot:
        """A turn in which commands run."""
        self.turn += 1
        before = await self.inside.client.snapshots.before(self.chat, self.turn, self.terms)
        for command in commands:
            ended = await self.inside.runs(command)
            assert ended.exit_code == 0, ended.tail
        await self.inside.client.snapshots.after(self.chat, self.turn, self.terms)
        return before

    async def preview(self, turn: int) -> wire.Difference:
        return await self.inside.client.snapshots.preview(self.chat, turn, self.terms)

    async def goes_back(self, turn: int, key: str = "back", **more: str | int | None) -> wire.WentBack:
        return await self.inside.client.snapshots.go_back(self.chat, turn, self.terms, key=key, **more)  # pyright: ignore[reportArgumentType]

    @property
    def hash(self) -> str:
        return tree_hash(self.inside.tree)


@pytest.fixture
def story(inside: Inside) -> Story:
    return Story(inside)


async def test_everything_that_a_turn_did_goes_back_whatever_did_it(story: Story) -> None:
    tree = story.inside.tree
    (tree / "kept.txt").write_text("one\n")
    (tree / "gone.txt").write_text("two\n")
    (tree / "folder").mkdir()
    (tree / "folder" / "inner.bin").write_bytes(os.urandom(400_000))
    (tree / "link").symlink_to("kept.txt")
    before = story.hash
    await story.does(
        "echo more >> kept.txt; rm gone.txt; chmod 755 kept.txt; mkdir -p new/deep; echo x > new/deep/file",
        "rm -r folder; echo file > folder; ln -sfn nowhere link; mkdir empty",
    )
    assert story.hash != before
    shown = await story.preview(1)
    assert {file.path: file.status for file in shown.files} == {
        "kept.txt": "changed", "gone.txt": "new", "folder": "deleted", "folder/inner.bin": "new",
        "new/deep/file": "deleted", "link": "changed",
    }  # fmt: skip
    assert "-more\n" in shown.diff
    assert shown.conflicts == []
    went = await story.goes_back(1, state=shown.state)
    assert (went.left, story.hash) == ([], before)


async def test_going_back_can_itself_be_taken_back(story: Story) -> None:
    await story.does("echo one > a")
    changed = story.hash
    went = await story.goes_back(1)
    assert not (story.inside.tree / "a").exists()
    await story.goes_back(1, "again", held=went.held)
    assert story.hash == changed


async def test_only_the_turns_from_there_on_go_back(story: Story) -> None:
    await story.does("echo one > a")
    first = story.hash
    await story.does("echo two > a; echo b > b")
    await story.does("rm b; echo c > c")
    await story.goes_back(2)
    assert story.hash == first


async def test_a_turn_takes_one_snapshot_however_often_it_is_asked_for(story: Story) -> None:
    snapshots = story.inside.client.snapshots
    assert (await snapshots.before(CHAT, 1, TERMS)).taken
    assert not (await snapshots.before(CHAT, 1, TERMS)).taken
    assert (await snapshots.after(CHAT, 1, TERMS)).taken
    assert not (await snapshots.after(CHAT, 1, TERMS)).taken


async def test_what_changed_outside_is_not_overwritten(story: Story) -> None:
    await story.does("echo agent > a; echo agent > b")
    (story.inside.tree / "a").write_text("mine\n")
    now = story.hash
    shown = await story.preview(1)
    assert shown.conflicts == ["a"]
    with pytest.raises(WorkspaceRefused, match="changed outside of the chat since, so nothing goes back: a"):
        await story.goes_back(1)
    assert story.hash == now


async def test_what_somebody_else_did_elsewhere_stays(story: Story) -> None:
    await story.does("echo agent > a")
    (story.inside.tree / "mine").write_text("mine\n")
    await story.does("echo agent > b")
    await story.goes_back(1)
    assert names(story.inside.tree) == ["mine"]


async def test_what_another_chat_did_to_the_same_file_is_not_overwritten(story: Story) -> None:
    await story.does("echo one > a")
    await Story(story.inside, "chat-2").does("echo two > a")
    with pytest.raises(WorkspaceRefused, match="changed outside of the chat"):
        await story.goes_back(1)


async def test_a_difference_that_is_not_the_one_shown_is_refused(story: Story) -> None:
    await story.does("echo one > a")
    shown = await story.preview(1)
    await story.does("echo two > a")
    now = story.hash
    with pytest.raises(WorkspaceRefused) as refusal:
        await story.goes_back(1, state=shown.state)
    assert (refusal.value.code, story.hash) == ("moved", now)


async def test_what_is_ignored_is_neither_kept_nor_touched(story: Story) -> None:
    tree = story.inside.tree
    (tree / ".gitignore").write_text("*.log\n/build/\n!keep.log\n")
    story.terms = structs.replace(TERMS, ignore=("cache/",))
    await story.does("mkdir build cache; touch build/x cache/y a.log keep.log new; echo '# more' >> .gitignore")
    shown = await story.preview(1)
    assert sorted(file.path for file in shown.files) == [".gitignore", "keep.log", "new"]
    await story.goes_back(1)
    assert names(tree) == [".gitignore", "a.log", "build", "cache"]


async def test_what_was_ignored_before_a_turn_is_not_deleted_because_it_no_longer_is(story: Story) -> None:
    tree = story.inside.tree
    (tree / ".gitignore").write_text(".env\n")
    (tree / ".env").write_text("SECRET=1\n")
    await story.does("echo > .gitignore")
    await story.goes_back(1)
    assert (tree / ".env").read_text() == "SECRET=1\n"
    assert (tree / ".gitignore").read_text() == ".env\n"


async def test_kinds_that_cannot_be_kept_are_named_and_left_alone(
    story: Story, monkeypatch: pytest.MonkeyPatch
) -> None:
    tree = story.inside.tree
    # The whole path is longer than a socket's may be.
    monkeypatch.chdir(tree)
    with socket.socket(socket.AF_UNIX) as listening:
        listening.bind("socket")
    os.mkfifo(tree / "fifo")
    (tree / "outside").symlink_to("/etc/passwd")
    taken = await story.does("echo x > new; rm outside")
    assert (taken.left_out["special"].count, sorted(taken.left_out["special"].paths)) == (2, ["fifo", "socket"])
    await story.goes_back(1)
    assert names(tree) == ["fifo", "outside", "socket"]
    assert (tree / "outside").readlink() == Path("/etc/passwd")


async def test_a_sparse_file_keeps_its_holes(story: Story) -> None:
    large = story.inside.tree / "sparse"
    with large.open("wb") as file:
        file.truncate(40 * 1024**3)
        file.seek(30 * 1024**3)
        file.write(b"something")
    await story.does("rm sparse")
    await story.goes_back(1)
    status = large.stat()
    assert status.st_size == 40 * 1024**3
    assert status.st_blocks * 512 < 4 * 1024**2
    with large.open("rb") as file:
        file.seek(30 * 1024**3)
        assert file.read(9) == b"something"


async def test_names_that_are_no_unicode_go_back_too(story: Story) -> None:
    (story.inside.tree / os.fsdecode(b"caf\xe9\n\xff")).write_text("x")
    before = story.hash
    await story.does("rm -f ./caf*; printf y > \"$(printf 'other\\377')\"")
    shown = await story.preview(1)
    assert [file.path for file in shown.files] == ["caf�\n�", "other�"]
    await story.goes_back(1)
    assert story.hash == before


async def test_no_room_is_said_and_nothing_is_left(story: Story) -> None:
    (story.inside.tree / "a").write_text("x")
    story.terms = SnapshotTerms(0)
    with pytest.raises(WorkspaceRefused) as refusal:
        await story.does("true")
    assert refusal.value.code == "no_quota"


async def test_nothing_goes_back_over_a_turn_whose_files_could_not_be_kept(story: Story) -> None:
    await story.does("echo one > a")
    story.terms, story.turn = SnapshotTerms(0), 2
    with pytest.raises(WorkspaceRefused):
        await story.inside.client.snapshots.before(CHAT, 2, story.terms)
    await story.inside.runs("echo two > b")
    story.terms = TERMS
    before = story.hash
    await story.does("echo three > c")
    for turn in (1, 2):
        with pytest.raises(WorkspaceRefused, match="could not be kept") as refusal:
            await story.goes_back(turn, f"back{turn}")
        assert refusal.value.code == "gone"
        with pytest.raises(WorkspaceRefused, match="could not be kept"):
            await story.preview(turn)
    await story.goes_back(3)
    assert story.hash == before


async def test_where_no_room_is_left_to_it_what_was_kept_goes(story: Story) -> None:
    await story.does("head -c 400000 /dev/urandom > large; echo x > small")
    story.terms = SnapshotTerms(0)
    with pytest.raises(WorkspaceRefused, match="the setting snapshots"):
        await story.does("true")
    kept = [path for path in (story.inside.state / "snapshots").glob("*/*") if path.is_file()]
    assert kept == []


async def test_what_does_not_fit_is_said_and_nothing_half_made_is_left(story: Story) -> None:
    for number in range(40):
        (story.inside.tree / f"f{number}").write_bytes(os.urandom(100_000))
    story.terms = SnapshotTerms(1_000_000)
    with pytest.raises(WorkspaceRefused) as refusal:
        await story.does("true")
    assert refusal.value.code == "quota"
    kept = [path for path in (story.inside.state / "snapshots").glob("*/*") if path.is_file()]
    assert kept == []


async def test_the_oldest_go_when_the_room_is_used_up(story: Story) -> None:
    story.terms, before = SnapshotTerms(3_000_000), ""
    for _ in range(12):
        before = story.hash
        await story.does("head -c 400000 /dev/urandom > data")
    await story.goes_back(12)
    assert story.hash == before
    with pytest.raises(WorkspaceRefused) as refusal:
        await story.goes_back(1, "first")
    assert refusal.value.code == "gone"
    used = sum(path.stat().st_blocks * 512 for path in (story.inside.state / "snapshots").rglob("*") if path.is_file())
    assert used < 3_100_000


async def test_snapshots_of_a_chat_that_is_gone_go(story: Story) -> None:
    await story.does("head -c 200000 /dev/urandom > mine")
    other = Story(story.inside, "chat-2")
    await other.does("echo x > other; rm mine")
    other.terms = structs.replace(TERMS, chats=("chat-2",))
    await other.does("echo y > other")
    assert (await story.preview(1)).files == []
    await other.goes_back(1)
    assert names(story.inside.tree) == ["mine"]


async def test_a_file_that_is_write_protected_in_a_folder_that_is_goes_back(story: Story) -> None:
    tree = story.inside.tree
    (tree / "shut").mkdir()
    (tree / "shut" / "a").write_text("one")
    (tree / "shut" / "a").chmod(0o444)
    (tree / "shut").chmod(0o555)
    before = story.hash
    await story.does("chmod 755 shut; rm -f shut/a; echo two > shut/b; chmod 555 shut")
    await story.goes_back(1)
    assert story.hash == before


async def test_what_a_turn_changed_is_known_without_git(story: Story) -> None:
    await story.does("printf 'one\\ntwo\\n' > a")
    await story.does("printf 'one\\nTWO\\n' > a; echo b > b")
    await story.does("rm b")
    changed = story.inside.client.snapshots.changed
    second = await changed(CHAT, 2, 2, TERMS)
    assert [(file.path, file.status, file.added, file.removed) for file in second.files] == [
        ("a", "changed", 1, 1),
        ("b", "new", 1, 0),
    ]
    assert "-two\n+TWO\n" in second.diff
    whole = await changed(CHAT, 0, None, TERMS)
    assert [(file.path, file.status) for file in whole.files] == [("a", "new")]
