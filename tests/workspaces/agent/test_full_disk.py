"""A disk that is full: nothing is half done, and the message says what to do."""

import pytest
from tests.workspaces.inside import Inside

from perdure.core.errors import WorkspaceRefused
from perdure.workspaces.wire import FileEdits, TextEdit

SMALL_DISK = ["unshare", "--map-root-user", "--mount", "sh", "-c", 'mount -t tmpfs -o size=256k full "$0" && exec "$@"']


async def on_a_small_disk(inside: Inside, directory: str) -> Inside:
    """Start again where a directory is a file system of 256 KiB, in a mount namespace of its own."""
    await inside.is_killed()
    (inside.root / directory).mkdir(exist_ok=True)
    inside.wrapped_in = [*SMALL_DISK, str(inside.root / directory)]
    await inside.start()
    return inside


async def refusal_code(inside: Inside, content: str) -> str:
    with pytest.raises(WorkspaceRefused, match="delete files that are not needed") as refusal:
        await inside.client.files.write("a.txt", content)
    return refusal.value.code


async def test_a_write_that_does_not_fit_keeps_the_old_file_and_leaves_nothing(inside: Inside) -> None:
    await on_a_small_disk(inside, "tree")
    await inside.client.files.write("a.txt", "old\n")
    assert await refusal_code(inside, "x" * 500_000) == "disk_full"
    assert await inside.client.files.content("a.txt", 100) == b"old\n"
    assert [entry.path for entry in (await inside.client.files.list()).entries] == ["a.txt"]


async def test_edits_that_do_not_all_fit_are_not_made_at_all(inside: Inside) -> None:
    await on_a_small_disk(inside, "tree")
    for name in ("a.txt", "b.txt"):
        await inside.client.files.write(name, "old\n")
    edits = [FileEdits("a.txt", [TextEdit("old", "new")]), FileEdits("b.txt", [TextEdit("old", "x" * 500_000)])]
    with pytest.raises(WorkspaceRefused) as refusal:
        await inside.client.files.edit(edits, key="k")
    assert refusal.value.code == "disk_full"
    assert [await inside.client.files.content(name, 100) for name in ("a.txt", "b.txt")] == [b"old\n", b"old\n"]
    assert (await inside.client.files.edit(edits[:1], key="k")).state == "done"


async def test_a_command_that_cannot_be_recorded_is_not_started(inside: Inside) -> None:
    await on_a_small_disk(inside, "state")
    await inside.runs(f"head -c 1M /dev/zero > {inside.state}/filler")
    with pytest.raises(WorkspaceRefused) as refusal:
        await inside.client.processes.start("touch ran", key="k")
    assert refusal.value.code == "disk_full"
    assert not (inside.tree / "ran").exists()


async def test_a_result_that_cannot_be_recorded_is_kept_in_memory(inside: Inside) -> None:
    await on_a_small_disk(inside, "state")
    filling = f"head -c 1M /dev/zero > {inside.state}/filler 2>/dev/null; seq 1 3000"
    first = await inside.runs(filling, key="k")
    assert first.total_bytes == 13_893
    await inside.runs(f"rm {inside.state}/filler")
    again = await inside.client.processes.find("k")
    assert (again.id, again.head) == (first.id, first.head)
