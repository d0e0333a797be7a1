"""Filling a database: copies of chats, messages that search knows; and how large its tables are then."""

from collections.abc import Sequence
from dataclasses import dataclass

import asyncpg

from perdure.proof.evidence import sql


@dataclass(frozen=True, slots=True)
class Size:
    """A table: how many rows it has, and bytes for each of them."""

    name: str
    rows: int
    own: float
    indexes: float


async def copied(url: str, chat_id: str, count: int) -> list[str]:
    """So many copies of a chat at rest; their ids."""
    connection = await asyncpg.connect(url)
    try:
        return [str(row["id"]) for row in await connection.fetch(sql("copied_chats"), chat_id, count)]
    finally:
        await connection.close()


async def searchable(url: str, chats: Sequence[str], each: int) -> None:
    """Give chats so many messages that search knows."""
    connection = await asyncpg.connect(url)
    try:
        index = await connection.fetchval("SELECT indexdef FROM pg_indexes WHERE indexname = 'search_documents_words'")
        # Filled without its index, which is then made at once: the same index, minutes earlier.
        await connection.execute("DROP INDEX search_documents_words")
        await connection.execute(sql("searchable"), chats, each, timeout=None)
        await connection.execute(index, timeout=None)
        await connection.execute("VACUUM ANALYZE search_documents, messages, chats, chat_cards", timeout=None)
    finally:
        await connection.close()


async def sizes(url: str) -> list[Size]:
    """The tables that grow with messages."""
    connection = await asyncpg.connect(url)
    try:
        rows = await connection.fetch(sql("table_sizes"))
    finally:
        await connection.close()
    counted = [(row, max(1, row["rows"])) for row in rows]
    return [Size(row["name"], rows, row["own"] / rows, row["indexes"] / rows) for row, rows in counted]
