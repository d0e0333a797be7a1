"""All files into object storage, or all of them back: each by itself, so that it goes on where it was cut short."""

from collections.abc import AsyncIterator
from dataclasses import dataclass

from perdure.core.timing import OBJECT_PERIOD, Clock
from perdure.objects.client import ObjectClient
from perdure.objects.failures import ObjectLost
from perdure.objects.mover import Mover
from perdure.store.pool import Pool
from perdure.store.tables import objects
from perdure.store.tables.objects import MovedFile, StoredObject

PAGE = 50


@dataclass(frozen=True, slots=True)
class Progress:
    """How far it is."""

    moved: int
    left: int
    lost: tuple[str, ...] = ()
    """Files whose objects are gone, with what the storage said."""


async def move_out(pool: Pool, mover: Mover, smallest: int, clock: Clock) -> AsyncIterator[Progress]:
    """Move what is in rows. Replicas do the same beside it: what one of them took is waited for."""
    moved = 0
    while left := (await objects.waiting(pool, smallest)).files:
        yield Progress(moved, left)
        done = await mover.move()
        moved += done
        if not done:
            await clock.sleep(OBJECT_PERIOD.total_seconds())
    yield Progress(moved, 0)


async def bring_back(pool: Pool, client: ObjectClient) -> AsyncIterator[Progress]:
    """Bring what is in objects back into rows."""
    progress, after = Progress(0, (await objects.held(pool)).files), None
    while page := await objects.moved(pool, after, PAGE):
        for file in page:
            progress = await _brought(pool, client, file, progress)
        after = page[-1].id
        yield progress
    yield Progress(progress.moved, (await objects.held(pool)).files, progress.lost)


async def _brought(pool: Pool, client: ObjectClient, file: MovedFile, progress: Progress) -> Progress:
    stored = StoredObject(file.object_id, file.organisation_id, file.hash)
    try:
        content = await client.get(stored)
    except ObjectLost as lost:
        return Progress(progress.moved, progress.left, (*progress.lost, f"{file.id}: {lost}"))
    await objects.bring_back(pool, file.id, file.object_id, content)
    return Progress(progress.moved + 1, progress.left - 1, progress.lost)
