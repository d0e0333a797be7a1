"""Files of a chat: those that people attached, and those that tools hand over."""

import asyncio
from collections.abc import Sequence
from uuid import UUID

from asyncpg import Pool, Record

from perdure.core.card import Card
from perdure.core.text import storable
from perdure.providers.projection.media import shrunk
from perdure.providers.request import FileContent
from perdure.store.away import asking_the_database
from perdure.store.queries import query
from perdure.tools.call import NewFile


class StoredFiles:
    """Reads and keeps contents in the database."""

    def __init__(self, pool: "Pool[Record]") -> None:
        self._pool = pool

    async def contents(self, card: Card, file_ids: Sequence[str]) -> dict[str, FileContent]:
        if not file_ids:
            return {}
        with asking_the_database():
            rows = await self._pool.fetch(query("files/contents"), card.id, [UUID(file_id) for file_id in file_ids])
        read = [FileContent(row["name"], row["media_type"], row["content"]) for row in rows]
        # A photograph takes a quarter of a second, which nobody else's answer should wait for.
        small = await asyncio.to_thread(lambda: [shrunk(content) for content in read])
        return {str(row["id"]): content for row, content in zip(rows, small, strict=True)}

    async def keep(self, card: Card, files: Sequence[NewFile]) -> None:
        with asking_the_database():
            for file in files:
                await self._pool.execute(
                    query("files/keep"),
                    file.id,
                    card.organisation_id,
                    card.owner_id,
                    storable(file.name),
                    file.media_type,
                    len(file.content),
                    file.content,
                )
