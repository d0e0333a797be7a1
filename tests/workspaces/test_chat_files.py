"""States of files end with their chats, also in workspaces that nobody uses any more."""

import os
from pathlib import Path
from uuid import uuid4

import pytest
from tests.workspaces.inside import PATIENCE
from tests.workspaces.yard import Yard

from perdure.core.ids import ChatId, OrganisationId
from perdure.core.timing import SystemClock
from perdure.store.pool import Pool
from perdure.store.tables.workspaces import WorkspaceRow
from perdure.workspaces.chat_files import ChatFiles, Room

ROOM = Room(1 << 28, ())


async def acts(pool: Pool, row: WorkspaceRow) -> ChatId:
    """A chat that acts in a workspace."""
    chat = ChatId(uuid4())
    await pool.execute("INSERT INTO chats (id, status, snapshot_version) VALUES ($1, 'waiting', 1)", chat)
    card = "INSERT INTO chat_cards (id, organisation_id, owner_id, title, workspace_id) VALUES ($1, $2, $3, 't', $4)"
    await pool.execute(card, chat, row.organisation_id, row.owner_id, row.id)
    return chat


def kept(yard: Yard, row: WorkspaceRow) -> list[Path]:
    folder = yard.layout(row).state("agent") / "snapshots"
    return [path for name in ("packs", "objects", "links") for path in (folder / name).iterdir()]


async def room(_: OrganisationId) -> Room:
    return ROOM


@pytest.mark.parametrize("another", [True, False])
@pytest.mark.parametrize("stopped", [True, False])
async def test_states_of_files_end_with_their_chat(yard: Yard, pool: Pool, stopped: bool, another: bool) -> None:
    row = await yard.made()
    files = ChatFiles(pool, yard.service, room, SystemClock())
    client = await yard.service.client(row)
    chats = [await acts(pool, row) for _ in range(1 + another)]
    for turn, chat in enumerate(chats):
        (yard.layout(row).tree / f"large{turn}").write_bytes(os.urandom(400_000))
        await files.before(chat, 1, chat, client)
        process = await client.processes.start("rm large*")
        await client.processes.wait(process.id, PATIENCE)
    assert kept(yard, row)
    if stopped:
        await yard.service.stop(row)
    await files.let_go()
    assert (await yard.row(row.id)).status == ("stopped" if stopped else "running")
    before = len(kept(yard, row))
    assert before >= len(chats)
    await pool.execute("DELETE FROM chats WHERE id = $1", chats[0])
    await files.let_go()
    left = kept(yard, row)
    assert [path.stat().st_size > 300_000 for path in left].count(True) == another
    assert (len(left) > 0, (await yard.row(row.id)).status) == (another, "stopped" if stopped else "running")
    assert await pool.fetchval("SELECT count(*) FROM kept_files") == another
    await files.settled()
