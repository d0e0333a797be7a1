"""Copies of workspaces: another one of the same plan, with the files of the first as they are or as they were."""

import asyncio
import contextlib
import socket
from collections.abc import AsyncGenerator
from dataclasses import dataclass, replace

import msgspec
from msgspec import Struct, structs

from perdure.core.errors import PerdureError, Refused, WorkspaceRefused, WorkspaceUnreachable
from perdure.core.ids import WorkspaceId
from perdure.core.timing import COPY_LONGEST, COPY_SILENCE
from perdure.store.tables import workspaces
from perdure.store.tables.workspaces import NewWorkspace, WorkspaceRow
from perdure.workspaces import wire
from perdure.workspaces.client import WorkspaceClient
from perdure.workspaces.driver import Driver, Plan, stored
from perdure.workspaces.ports import OUTDATED
from perdure.workspaces.service import UNMADE, Workspaces, too_many
from perdure.workspaces.snapshots import SnapshotTerms
from perdure.workspaces.templates.building import clear

PIECE = 256 * 1024
UNFINISHED = "Its files were not copied to the end. Remove it, and fork again."
CUT = "The files could not be copied: the copy was cut off. Try again."
TOO_SLOW = "The files could not be copied in time. Fork without them, or remove what is not needed first."


class Before(Struct, frozen=True):
    """A turn of a chat: a copy has what its turns changed since as it was. `state` is that of the difference shown."""

    chat: str
    turn: int
    state: str | None
    terms: SnapshotTerms


@dataclass(frozen=True, slots=True)
class WorkspaceCopies:
    """Makes copies. One that is not done stands as failed, so that nothing ever runs in half of one."""

    workspaces: Workspaces

    async def make(self, made: WorkspaceId, source: WorkspaceRow, most: int, before: Before | None = None) -> None:
        """Make a copy. Asked again with the same id it begins anew, unless it is done."""
        _, of_source = await self.workspaces.place(source)
        plan = replace(of_source, id=made)
        row = await self._begun(plan, source, most)
        if row.status == "failed":
            await self._fill(row, plan, source, before)

    async def _begun(self, plan: Plan, source: WorkspaceRow, most: int) -> WorkspaceRow:
        pool = self.workspaces.pool
        asked = (plan.id, source.organisation_id, source.owner_id, source.driver, source.template, source.parameters)
        if not await workspaces.add(pool, NewWorkspace(*asked, stored(plan), source.ttl_minutes, most)):
            raise too_many(most)
        row = await workspaces.load(pool, plan.id)
        assert row is not None
        # What nobody has used yet has no files: the copy is made when it is used first, too.
        if row.status == "creating" and source.status not in UNMADE:
            await workspaces.stand(pool, plan.id, "failed", UNFINISHED)
            return structs.replace(row, status="failed")
        return row

    async def _fill(self, row: WorkspaceRow, plan: Plan, source: WorkspaceRow, before: Before | None) -> None:
        driver, _ = await self.workspaces.place(row)
        async with self._unless_done(driver, plan):
            # Where an earlier attempt was killed, its files are there.
            await driver.remove(plan)
            await driver.create(plan)
            async with await driver.start(plan) as target:
                await copied(await self.workspaces.client(source), target, before)
        await workspaces.stand(self.workspaces.pool, row.id, "running", None)

    @contextlib.asynccontextmanager
    async def _unless_done(self, driver: Driver, plan: Plan) -> AsyncGenerator[None]:
        """Leave nothing where the block is not done, also because nobody waits for it any more."""
        done = False
        try:
            async with asyncio.timeout(COPY_LONGEST.total_seconds()):
                yield
            done = True
        except TimeoutError:
            raise Refused(TOO_SLOW) from None
        except OSError as error:
            raise Refused(f"The files could not be copied: {error.strerror or error}.") from error
        finally:
            if not done:
                await clear(driver, plan)
                with contextlib.suppress(PerdureError):
                    await workspaces.remove(self.workspaces.pool, plan.id)


async def copied(source: WorkspaceClient, target: WorkspaceClient, before: Before | None = None) -> wire.CopiedFiles:
    """Lay down in one workspace what is in another."""
    wanted = {} if before is None else {**structs.asdict(before), **structs.asdict(before.terms)}
    try:
        outgoing = await source.tunnel("/v1/copies/out", wanted)
        with outgoing, await target.tunnel("/v1/copies/in") as incoming:
            told = await _relayed(outgoing, incoming)
    except WorkspaceRefused as refusal:
        raise WorkspaceRefused("outdated", OUTDATED) if refusal.code == "not_found" else refusal from None
    try:
        found = msgspec.json.decode(told, type=wire.CopiedFiles)
    except msgspec.DecodeError:
        raise WorkspaceUnreachable(CUT) from None
    if found.error is not None:
        raise WorkspaceRefused(found.error.code, found.error.message)
    return found


async def _relayed(outgoing: socket.socket, incoming: socket.socket) -> bytes:
    """Hand everything over, and hear what came of it; that may be said before all is over."""
    hearing = asyncio.ensure_future(_heard(incoming))
    try:
        async with asyncio.timeout(COPY_SILENCE.total_seconds()) as silence:
            with contextlib.suppress(ConnectionError):
                await _handed(outgoing, incoming, silence)
            return await hearing
    except OSError as error:
        raise WorkspaceUnreachable(CUT) from error
    finally:
        hearing.cancel()


async def _handed(outgoing: socket.socket, incoming: socket.socket, silence: asyncio.Timeout) -> None:
    loop = asyncio.get_running_loop()
    await loop.sock_sendall(outgoing, b"g")
    while piece := await loop.sock_recv(outgoing, PIECE):
        await loop.sock_sendall(incoming, piece)
        silence.reschedule(loop.time() + COPY_SILENCE.total_seconds())
    incoming.shutdown(socket.SHUT_WR)


async def _heard(incoming: socket.socket) -> bytes:
    told = b""
    with contextlib.suppress(ConnectionError):
        while piece := await asyncio.get_running_loop().sock_recv(incoming, PIECE):
            told += piece
    return told
