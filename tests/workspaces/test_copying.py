"""Copies of workspaces as the service keeps them: whole and running, or nothing at all."""

import os
import signal
from dataclasses import replace
from datetime import timedelta
from uuid import uuid4

import pytest
from tests.workspaces.snapshot_cases import tree_hash
from tests.workspaces.yard import Yard

from perdure.core.errors import PerdureError, Refused
from perdure.core.ids import WorkspaceId
from perdure.store.pool import Pool
from perdure.store.tables import workspaces
from perdure.workspaces.copying import UNFINISHED, WorkspaceCopies

MOST = 5


async def test_a_copy_is_another_workspace_with_the_same_files(yard: Yard) -> None:
    source, made = await yard.made(), WorkspaceId(uuid4())
    (yard.layout(source).tree / "file").write_text("one\n")
    for _ in range(2):
        await WorkspaceCopies(yard.service).make(made, source, MOST)
    copy = await yard.row(made)
    assert (copy.status, copy.template, copy.owner_id) == ("running", source.template, source.owner_id)
    assert tree_hash(yard.layout(copy).tree) == tree_hash(yard.layout(source).tree)
    client = await yard.service.client(copy)
    await client.files.write("file", "two\n")
    assert (yard.layout(source).tree / "file").read_text() == "one\n"


async def test_a_copy_that_fails_leaves_nothing(yard: Yard, pool: Pool) -> None:
    source, made = await yard.made(), WorkspaceId(uuid4())
    (yard.layout(source).tree / "file").write_bytes(os.urandom(100_000_000))
    os.kill(yard.agent(source), signal.SIGSTOP)
    other = yard.replica(patience=timedelta(seconds=1))
    with pytest.raises(PerdureError, match="does not answer"):
        await WorkspaceCopies(other).make(made, source, MOST)
    await other.close()
    os.kill(yard.agent(source), signal.SIGCONT)
    assert await workspaces.load(pool, made) is None
    assert not (yard.folder / str(made)).exists()


async def test_what_a_replica_that_died_left_of_a_copy_is_never_used_and_made_anew(yard: Yard, pool: Pool) -> None:
    source, made = await yard.made(), WorkspaceId(uuid4())
    (yard.layout(source).tree / "file").write_text("one\n")
    await WorkspaceCopies(yard.service).make(made, source, MOST)
    (yard.layout(await yard.row(made)).tree / "half").write_text("of another try")
    await workspaces.stand(pool, made, "failed", UNFINISHED)
    other = yard.replica()
    with pytest.raises(PerdureError, match="not copied to the end"):
        await other.client(await yard.row(made))
    await WorkspaceCopies(other).make(made, source, MOST)
    await other.close()
    assert [path.name for path in yard.layout(await yard.row(made)).tree.iterdir()] == ["file"]


async def test_a_person_with_as_many_workspaces_as_they_may_have_gets_no_copy(yard: Yard, pool: Pool) -> None:
    source, made = await yard.made(), WorkspaceId(uuid4())
    with pytest.raises(Refused, match="at most 1 workspaces"):
        await WorkspaceCopies(yard.service).make(made, source, 1)
    assert await workspaces.load(pool, made) is None


async def test_a_workspace_that_nobody_has_used_yet_is_noted_again(yard: Yard) -> None:
    yard.wish = replace(yard.wish, most=MOST)
    source, made = await yard.service.begin(WorkspaceId(uuid4()), yard.wish), WorkspaceId(uuid4())
    await WorkspaceCopies(yard.service).make(made, source, MOST)
    copy = await yard.row(made)
    assert (copy.status, (await (await yard.service.client(copy)).files.list()).entries) == ("creating", [])
