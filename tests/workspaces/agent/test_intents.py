"""Edits of several files: all or nothing, once per key, at every instant a crash can come."""

import asyncio
import json
import signal
import stat
import sys

import pytest
from tests.workspaces.inside import Inside, unpacked

from perdure.core.errors import WorkspaceRefused
from perdure.workspaces.wire import FileEdits, TextEdit

EDITS = [FileEdits("a.txt", [TextEdit("one", "ONE")]), FileEdits("b.txt", [TextEdit("two", "TWO")])]

# Edits in a process of its own that dies, or is refused, at the n-th call that makes something lasting.
FAULTY = """
import errno, json, os, signal, sys
sys.path.insert(0, sys.argv[5])
from perdure.workspaces.agent.durable import Folder
from perdure.workspaces.agent.fields import Fields
from perdure.workspaces.agent.intents import Intents
from perdure.workspaces.agent.keys import Keys
from perdure.workspaces.agent.places import Places
from perdure.workspaces.agent.problems import Problem

root, body, fault, number = sys.argv[1], json.loads(sys.argv[2]), sys.argv[3], int(sys.argv[4])
state = Folder.open(root + "/state")
keys = Keys(state.inside("keys"))
intents = Intents(state.inside("edits"), keys, Places(root + "/tree", root + "/home"), "earlier")
calls = 0

def faulty(real):
    def call(*arguments, **options):
        global calls
        calls += 1
        if calls == number and fault == "kill":
            os.kill(os.getpid(), signal.SIGKILL)
        if calls == number:
            raise OSError(errno.EIO, "the device failed")
        return real(*arguments, **options)
    return call

names = ("rename",) if fault == "rename" else ("rename", "unlink", "fsync", "fchmod", "link")
for name in names:
    setattr(os, name, faulty(getattr(os, name)))
try:
    intents.edit(Fields(body))
except (Problem, OSError) as problem:
    print(getattr(problem, "message", problem))
print(calls)
"""


# A file that something is mounted on can be written beside, but not replaced.
MOUNTED = ["unshare", "--map-root-user", "--mount", "sh", "-c", 'mount --bind "$0" "$0" && exec "$@"']


def tree(inside: Inside) -> list[str]:
    return sorted(path.name for path in inside.tree.iterdir())


def content(inside: Inside) -> tuple[str, str]:
    return (inside.tree / "a.txt").read_text(), (inside.tree / "b.txt").read_text()


@pytest.fixture
def written(inside: Inside) -> Inside:
    (inside.tree / "a.txt").write_text("one\n")
    (inside.tree / "b.txt").write_text("two\n")
    return inside


async def faulty_edit(inside: Inside, fault: str, number: int, key: str = "k") -> tuple[int, str]:
    body = {
        "files": [
            {
                "path": file.path,
                "edits": [
                    {"old_text": edit.old_text, "new_text": edit.new_text, "replace_all": False} for edit in file.edits
                ],
            }
            for file in EDITS
        ],
        "key": key,
    }
    process = await asyncio.create_subprocess_exec(
        *(sys.executable, "-I", "-S", "-c", FAULTY, str(inside.root), json.dumps(body), fault, str(number)),
        str(unpacked()),
        stdout=asyncio.subprocess.PIPE,
    )
    said, _ = await process.communicate()
    assert process.returncode is not None
    return process.returncode, said.decode().strip()


async def test_edits_of_two_files_are_made_and_shown_as_diffs(written: Inside) -> None:
    result = await written.client.files.edit(EDITS)
    assert content(written) == ("ONE\n", "TWO\n")
    assert [(file.path, file.diff.split("\n")[-3:-1]) for file in result.files] == [
        ("a.txt", ["-one", "+ONE"]), ("b.txt", ["-two", "+TWO"]),
    ]  # fmt: skip


async def test_one_edit_that_fails_leaves_every_file_alone(written: Inside) -> None:
    with pytest.raises(WorkspaceRefused, match=r"b\.txt: old_text was not found"):
        await written.client.files.edit([EDITS[0], FileEdits("b.txt", [TextEdit("three", "3")])], key="k")
    assert content(written) == ("one\n", "two\n")


async def test_a_refused_edit_does_not_use_up_its_key(written: Inside) -> None:
    with pytest.raises(WorkspaceRefused):
        await written.client.files.edit([FileEdits("a.txt", [TextEdit("three", "3")])], key="k")
    assert (await written.client.files.edit(EDITS, key="k")).state == "done"


async def test_an_edit_with_the_same_key_happens_once(written: Inside) -> None:
    appending = [FileEdits("a.txt", [TextEdit("one", "one one")])]
    first = await written.client.files.edit([FileEdits("a.txt", [TextEdit("one\n", "one\nmore\n")])], key="k")
    second = await written.client.files.edit([FileEdits("a.txt", [TextEdit("one\n", "one\nmore\n")])], key="k")
    assert first == second
    assert content(written)[0] == "one\nmore\n"
    with pytest.raises(WorkspaceRefused, match="another request"):
        await written.client.files.edit(appending, key="k")


async def test_the_same_path_twice_is_edited_in_order(written: Inside) -> None:
    twice = [FileEdits("a.txt", [TextEdit("one", "1")]), FileEdits("./a.txt", [TextEdit("1", "uno")])]
    await written.client.files.edit(twice)
    assert content(written)[0] == "uno\n"


async def test_two_names_of_one_file_are_refused(written: Inside) -> None:
    (written.tree / "same").hardlink_to(written.tree / "a.txt")
    (written.tree / "link").symlink_to("a.txt")
    for other in ("same", "link"):
        with pytest.raises(WorkspaceRefused, match="are the same file"):
            await written.client.files.edit([EDITS[0], FileEdits(other, [TextEdit("one", "1")])])
    assert content(written)[0] == "one\n"


async def test_an_edit_keeps_the_mode_and_writes_through_a_link(written: Inside) -> None:
    (written.tree / "a.txt").chmod(0o640)
    (written.tree / "link").symlink_to("a.txt")
    await written.client.files.edit([FileEdits("link", [TextEdit("one", "1")])])
    assert (written.tree / "link").is_symlink()
    assert stat.S_IMODE((written.tree / "a.txt").stat().st_mode) == 0o640
    assert content(written)[0] == "1\n"


@pytest.mark.parametrize("deadly", range(1, 31))
async def test_a_crash_at_any_lasting_call_leaves_all_or_nothing(written: Inside, deadly: int) -> None:
    await written.is_killed()
    ended, said = await faulty_edit(written, "kill", deadly)
    assert ended == -signal.SIGKILL or int(said) < deadly
    await written.start()
    assert content(written) in (("one\n", "two\n"), ("ONE\n", "TWO\n"))
    assert tree(written) == ["a.txt", "b.txt"]
    again = await written.client.files.edit(EDITS, key="k")
    assert again.state == "done"
    assert content(written) == ("ONE\n", "TWO\n")
    assert tree(written) == ["a.txt", "b.txt"]


@pytest.mark.parametrize("failing", range(1, 31))
async def test_a_failure_of_any_lasting_call_leaves_all_or_nothing(written: Inside, failing: int) -> None:
    await written.is_killed()
    await faulty_edit(written, "fail", failing)
    assert content(written) in (("one\n", "two\n"), ("ONE\n", "TWO\n"))
    await written.start()
    assert content(written) in (("one\n", "two\n"), ("ONE\n", "TWO\n"))
    assert tree(written) == ["a.txt", "b.txt"]


async def test_a_rename_that_fails_in_the_middle_is_undone_and_names_its_file(written: Inside) -> None:
    await written.is_killed()
    said = [(await faulty_edit(written, "rename", number))[1].split("\n")[0] for number in (3, 4)]
    assert said == ["a.txt: the device failed", "b.txt: the device failed"]
    assert content(written) == ("one\n", "two\n")
    assert tree(written) == ["a.txt", "b.txt"]


async def test_a_file_that_cannot_be_replaced_leaves_the_others_alone(written: Inside) -> None:
    await written.is_killed()
    written.wrapped_in = [*MOUNTED, str(written.tree / "b.txt")]
    await written.start()
    with pytest.raises(WorkspaceRefused, match=r"^b\.txt: Device or resource busy"):
        await written.client.files.edit(EDITS, key="k")
    assert content(written) == ("one\n", "two\n")
    assert tree(written) == ["a.txt", "b.txt"]
    assert (await written.client.files.edit(EDITS[:1], key="k")).state == "done"


async def test_an_interrupted_edit_is_undone_where_somebody_changed_a_file(written: Inside) -> None:
    await written.is_killed()
    deadly = 0
    while content(written) != ("ONE\n", "two\n"):
        deadly += 1
        (written.tree / "a.txt").write_text("one\n")
        (written.tree / "b.txt").write_text("two\n")
        await faulty_edit(written, "kill", deadly, key=f"k{deadly}")
    (written.tree / "b.txt").write_text("changed by hand\n")
    await written.start()
    assert content(written) == ("one\n", "changed by hand\n")
    assert (await written.client.files.find(f"k{deadly}")).state == "undone"
    assert tree(written) == ["a.txt", "b.txt"]


async def test_an_edit_that_was_made_but_could_not_be_recorded_is_not_made_again(written: Inside) -> None:
    await written.is_killed()
    number = 0
    while not (written.state / "edits").exists() or not list((written.state / "edits").glob("*.made")):
        number += 1
        (written.tree / "a.txt").write_text("one\n")
        (written.tree / "b.txt").write_text("two\n")
        await faulty_edit(written, "fail", number, key=f"k{number}")
    (written.tree / "b.txt").write_text("changed by hand\n")
    await written.start()
    assert (await written.client.files.edit(EDITS, key=f"k{number}")).state == "done"
    assert content(written) == ("ONE\n", "changed by hand\n")


async def test_very_large_files_are_not_edited_all_at_once(written: Inside) -> None:
    names = [f"large{number}" for number in range(3)]
    for name in names:
        (written.tree / name).write_text("one\n" + "x" * 4_000_000)
    with pytest.raises(WorkspaceRefused, match="large2: so many large files"):
        await written.client.files.edit([FileEdits(name, [TextEdit("one", "two")]) for name in names])
    assert (written.tree / "large0").read_text().startswith("one\n")
