"""Copies of a workspace's files, from one agent program to another: whole, or none."""

import asyncio
import os
import socket
import tempfile
from collections.abc import AsyncGenerator
from pathlib import Path

import pytest
from tests.workspaces.inside import Inside
from tests.workspaces.snapshot_cases import TERMS, tree_hash

from perdure.core.errors import WorkspaceRefused, WorkspaceUnreachable
from perdure.workspaces.copying import Before, copied
from perdure.workspaces.local.layout import delete_tree

CHAT = "chat-1"
SPARSE_BYTES = 20 * 1024**3


def names(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir())


@pytest.fixture
async def other() -> AsyncGenerator[Inside]:
    root = Path(tempfile.mkdtemp(prefix="perdure-"))
    agent = Inside(root)
    await agent.start()
    yield agent
    await agent.leaves()
    delete_tree(root)


async def test_a_copy_has_everything_of_tree_and_home_as_it_is(inside: Inside, other: Inside) -> None:
    tree = inside.tree
    (tree / "folder/inner").mkdir(parents=True)
    (tree / "folder/inner/large").write_bytes(os.urandom(3_000_000))
    (tree / "folder/inner/run").write_text("#!/bin/sh\n")
    (tree / "folder/inner/run").chmod(0o750)
    (tree / "empty").mkdir(mode=0o700)
    (tree / "nothing").touch()
    (tree / os.fsdecode(b"caf\xe9\n\xff")).write_text("x")
    (tree / "outside").symlink_to("/etc/passwd")
    (tree / "loop").symlink_to(".")
    (tree / ".gitignore").write_text("built/\n")
    (tree / "built").mkdir()
    (tree / "built/thing").write_text("made")
    (tree / "shut").mkdir()
    (tree / "shut/file").write_text("kept")
    (tree / "shut").chmod(0o555)
    (inside.home / ".config").mkdir()
    (inside.home / ".config/tool").write_text("mine")
    os.utime(tree / "nothing", ns=(5, 1_000_000_007))
    found = await copied(inside.client, other.client)
    assert (tree_hash(other.tree), tree_hash(other.home)) == (tree_hash(tree), tree_hash(inside.home))
    assert (other.tree / "nothing").stat().st_mtime_ns == 1_000_000_007
    assert (found.left_out, found.entries) == (0, 16)


async def test_what_is_no_file_stays_behind_and_is_counted(inside: Inside, other: Inside) -> None:
    os.mkfifo(inside.tree / "pipe")
    with socket.socket(socket.AF_UNIX) as listening:
        listening.bind(f"{inside.tree}/socket")
    (inside.tree / "file").write_text("x")
    assert (await copied(inside.client, other.client)).left_out == 2
    assert names(other.tree) == ["file"]


async def test_holes_of_a_file_stay_holes(inside: Inside, other: Inside) -> None:
    with (inside.tree / "sparse").open("wb") as file:
        file.truncate(SPARSE_BYTES)
        file.seek(SPARSE_BYTES // 2)
        file.write(b"something")
    async with asyncio.timeout(20):
        await copied(inside.client, other.client)
    copy = other.tree / "sparse"
    assert (copy.stat().st_size, copy.stat().st_blocks * 512 < 4 * 1024**2) == (SPARSE_BYTES, True)
    with copy.open("rb") as file:
        file.seek(SPARSE_BYTES // 2)
        assert file.read(9) == b"something"


async def a_turn(inside: Inside) -> str:
    """A turn that changes files of every kind; how the tree was before it."""
    tree = inside.tree
    (tree / "kept.txt").write_text("one\n")
    (tree / "gone.txt").write_text("two\n")
    (tree / "folder").mkdir()
    (tree / "folder/inner.bin").write_bytes(os.urandom(400_000))
    (tree / "turned").mkdir()
    (tree / "link").symlink_to("kept.txt")
    before = tree_hash(tree)
    await inside.client.snapshots.before(CHAT, 4, TERMS)
    changes = (
        "echo more >> kept.txt; rm gone.txt; chmod 755 kept.txt; mkdir -p new/deep; echo x > new/deep/file;"
        " rm -r folder; echo file > folder; rmdir turned; ln -s folder turned; ln -sfn nowhere link; mkdir empty"
    )
    assert (await inside.runs(changes)).exit_code == 0
    await inside.client.snapshots.after(CHAT, 4, TERMS)
    return before


async def test_a_copy_can_have_the_files_as_they_were_before_a_turn(inside: Inside, other: Inside) -> None:
    before = await a_turn(inside)
    now = tree_hash(inside.tree)
    shown = await inside.client.snapshots.preview(CHAT, 3, TERMS)
    await copied(inside.client, other.client, Before(CHAT, 3, shown.state, TERMS))
    assert (tree_hash(other.tree), tree_hash(inside.tree)) == (before, now)


async def test_a_copy_of_what_somebody_else_changed_since_is_refused(inside: Inside, other: Inside) -> None:
    await a_turn(inside)
    (inside.tree / "kept.txt").write_text("mine\n")
    with pytest.raises(WorkspaceRefused, match=r"changed outside of the chat since.*kept\.txt"):
        await copied(inside.client, other.client, Before(CHAT, 3, None, TERMS))
    assert names(other.tree) == []


async def test_a_copy_of_what_was_not_shown_is_refused(inside: Inside, other: Inside) -> None:
    await a_turn(inside)
    with pytest.raises(WorkspaceRefused, match="look at it again"):
        await copied(inside.client, other.client, Before(CHAT, 3, "another", TERMS))


@pytest.mark.parametrize("who", ["source", "target"])
async def test_a_copy_that_is_cut_off_is_no_copy(inside: Inside, other: Inside, who: str) -> None:
    (inside.tree / "large").write_bytes(os.urandom(200_000_000))
    copy = asyncio.create_task(copied(inside.client, other.client))
    while not (other.tree / "large").exists():  # noqa: ASYNC110 - until it is under way
        await asyncio.sleep(0)
    killed = inside if who == "source" else other
    await killed.is_killed()
    with pytest.raises((WorkspaceUnreachable, WorkspaceRefused), match="cut off"):
        await copy


async def test_a_full_disk_is_said(inside: Inside, other: Inside) -> None:
    (inside.tree / "name").mkdir()
    (inside.tree / "name/file").write_text("x")
    (other.tree / "name").write_text("in the way")
    with pytest.raises(WorkspaceRefused, match="not a directory"):
        await copied(inside.client, other.client)
