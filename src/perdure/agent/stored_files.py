"""Files of a chat: those that people attached, and those that tools hand over."""

import asyncio
import logging
from collections.abc import Sequence
from uuid import UUID

from perdure.core.card import Card
from perdure.core.ids import FileId
from perdure.core.text import storable
from perdure.objects.contents import Contents
from perdure.objects.failures import ObjectLost
from perdure.providers.projection.media import shrunk
from perdure.providers.request import FileContent
from perdure.store.pool import Pool
from perdure.store.tables.files import HandedOver, KeptFile, contents, keep
from perdure.tools.call import NewFile

KNOWN = 10_000
_log = logging.getLogger(__name__)


class StoredFiles:
    """Keeps contents in the database, and reads them wherever they are by now."""

    def __init__(self, pool: Pool, files: Contents) -> None:
        self._pool = pool
        self._files = files
        self._whole = set[FileId]()
        """Pictures that were read to their end. What a file holds never changes."""

    async def contents(self, card: Card, file_ids: Sequence[str]) -> dict[str, FileContent]:
        if not file_ids:
            return {}
        linked = await contents(self._pool, card.id, [UUID(file_id) for file_id in file_ids])
        read = [each for each in await asyncio.gather(*map(self._read, linked)) if each is not None]
        # A photograph takes a quarter of a second, which nobody else's answer should wait for.
        whole = frozenset(self._whole)
        small = await asyncio.to_thread(lambda: [shrunk(content, whole=file_id in whole) for file_id, content in read])
        if len(self._whole) > KNOWN:
            self._whole.clear()
        self._whole.update(file_id for (file_id, _), content in zip(read, small, strict=True) if content.data)
        return {str(file_id): content for (file_id, _), content in zip(read, small, strict=True)}

    async def _read(self, file: KeptFile) -> tuple[FileId, FileContent] | None:
        """A file with its content. One that the storage lost is left out: nobody waits for it."""
        try:
            content = await self._files.of(file)
        except ObjectLost as lost:
            _log.error("the file %s is lost: %s", file.id, lost)
            return None
        return file.id, FileContent(file.name, file.media_type, content)

    async def keep(self, card: Card, files: Sequence[NewFile]) -> None:
        for file in files:
            size, content = len(file.content), file.content
            owned = (card.organisation_id, card.owner_id)
            await keep(self._pool, HandedOver(file.id, *owned, storable(file.name), file.media_type, size, content))
