"""Files move from their rows into object storage, and what nobody needs any more is removed there.

A new file is a row with its content, which is one commit and needs nobody else. Moving it comes later: storage that is
away for a while keeps nobody waiting, and what is new waits in the database.
"""

import asyncio
import hashlib
import logging
from datetime import timedelta

from perdure.core.errors import DatabaseFault, Unavailable
from perdure.core.tasks import Backoff
from perdure.core.timing import (
    OBJECT_FRESH,
    OBJECT_LISTING_PERIOD,
    OBJECT_PERIOD,
    OBJECT_RETRY_LONGEST,
    OBJECT_SWEEP_PERIOD,
    OBJECT_TAKEN,
    Clock,
)
from perdure.objects.client import ObjectClient
from perdure.objects.failures import StorageAway
from perdure.store.pool import Pool
from perdure.store.tables import objects
from perdure.store.tables.objects import MovingFile, StoredObject

AT_ONCE = 4
REMOVED_AT_ONCE = 200
_log = logging.getLogger(__name__)


class Mover:
    """One to a replica. They share the work by taking files and objects, and none of them waits for another."""

    def __init__(self, pool: Pool, client: ObjectClient, clock: Clock, *, smallest: int, kept: timedelta) -> None:
        self._pool = pool
        self._client = client
        self._clock = clock
        self._smallest = smallest
        self._kept = kept
        self._said: str | None = None
        now = clock.monotonic()
        self._swept_at = self._listed_at = now

    async def run(self) -> None:
        await self._checked()
        backoff = Backoff(OBJECT_PERIOD, OBJECT_RETRY_LONGEST, spread=0.3)
        while True:
            try:
                while await self.move():
                    self._well()
                await self._sweep_now_and_then()
                backoff.reset()
            except StorageAway as failure:
                self._told(failure)
            except (Unavailable, DatabaseFault) as error:
                _log.warning("files are moved later: %s", error)
            await backoff.wait(self._clock)

    async def _checked(self) -> None:
        """Say at the start what is wrong with the storage. Files come and go without it."""
        try:
            await self._client.check()
        except StorageAway as failure:
            self._told(failure)

    async def move(self) -> int:
        """Move some files that are in rows. How many were."""
        if not self._smallest:
            return 0
        taken = await objects.take(self._pool, self._smallest, OBJECT_TAKEN, AT_ONCE)
        try:
            results = await asyncio.gather(*map(self._moved, taken), return_exceptions=True)
        finally:
            await self._count()
        for each in results:
            if isinstance(each, BaseException):
                raise each
        return results.count(True)

    async def _moved(self, file: MovingFile) -> bool:
        """Whether it was. Where somebody else writes the same content now, it is looked at again in a moment."""
        digest = (await asyncio.to_thread(hashlib.sha256, file.content)).digest()
        begun = await objects.begin(self._pool, file.organisation_id, digest, len(file.content), OBJECT_TAKEN)
        if begun is None:
            await objects.release(self._pool, file.id)
            return False
        if not begun.stored:
            await self._put(StoredObject(begun.id, file.organisation_id, digest), file.content)
        if await objects.settle(self._pool, file.id, begun.id):
            self._client.measures.moved(len(file.content))
        return True

    async def _put(self, stored: StoredObject, content: bytes) -> None:
        try:
            await self._client.put(stored, content)
        except StorageAway:
            await objects.give_up(self._pool, stored.id)
            raise

    async def _sweep_now_and_then(self) -> None:
        now = self._clock.monotonic()
        if now - self._swept_at > OBJECT_SWEEP_PERIOD.total_seconds():
            self._swept_at = now
            await self.sweep()
            self._well()
        if now - self._listed_at > OBJECT_LISTING_PERIOD.total_seconds():
            self._listed_at = now
            await self.remove_strangers()

    async def sweep(self, *, fresh: timedelta = OBJECT_FRESH) -> int:
        """Remove what no file needs, in two phases. How many objects went."""
        await objects.mark_unused(self._pool, fresh)
        gone = 0
        while found := await objects.to_remove(self._pool, self._kept, OBJECT_TAKEN, REMOVED_AT_ONCE):
            for each in found:
                await self._client.remove(each)
                await objects.forget(self._pool, each.id)
                gone += 1
        self._client.measures.removed("unused", gone)
        return gone

    async def remove_strangers(self) -> int:
        """Remove objects that nobody knows: a row is there before its object, and until after it is gone."""
        gone = 0
        async for keys in self._client.listed():
            found = {each.id: each for key in keys if (each := self._client.bucket.object_of(key)) is not None}
            for each in await objects.strangers(
                self._pool, list(found), [stored.organisation_id for stored in found.values()]
            ):
                await self._client.remove(found[each])
                gone += 1
        self._client.measures.removed("unknown", gone)
        return gone

    async def _count(self) -> None:
        if self._smallest:
            amount = await objects.waiting(self._pool, self._smallest)
            self._client.measures.waiting(amount.files, amount.bytes)

    def _told(self, failure: StorageAway) -> None:
        """Once for each reason: it is tried again and again."""
        self._client.measures.away(away=True)
        if str(failure) != self._said:
            self._said = str(failure)
            _log.log(logging.ERROR if failure.lasting else logging.WARNING, "object storage: %s", failure)

    def _well(self) -> None:
        self._client.measures.away(away=False)
        if self._said is not None:
            self._said = None
            _log.info("object storage: it works again")
