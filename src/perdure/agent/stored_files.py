"""Files of a chat: those that people attached, and those that tools hand over."""

import asyncio
from collections.abc import Sequence
from uuid import UUID

from perdure.core.card import Card
from perdure.core.text import storable
from perdure.providers.projection.media import shrunk
from perdure.providers.request import FileContent
from perdure.store.pool import Pool
from perdure.store.tables.files import HandedOver, contents, keep
from perdure.tools.call import NewFile


class StoredFiles:
    """Reads and keeps contents in the database."""

    def __init__(self, pool: Pool) -> None:
        self._pool = pool

    async def contents(self, card: Card, file_ids: Sequence[str]) -> dict[str, FileContent]:
        if not file_ids:
            return {}
        linked = await contents(self._pool, card.id, [UUID(file_id) for file_id in file_ids])
        read = [FileContent(file.name, file.media_type, file.content) for file in linked]
        # A photograph takes a quarter of a second, which nobody else's answer should wait for.
        small = await asyncio.to_thread(lambda: [shrunk(content) for content in read])
        return {str(file.id): content for file, content in zip(linked, small, strict=True)}

    async def keep(self, card: Card, files: Sequence[NewFile]) -> None:
        for file in files:
            size, content = len(file.content), file.content
            owned = (card.organisation_id, card.owner_id)
            await keep(self._pool, HandedOver(file.id, *owned, storable(file.name), file.media_type, size, content))
