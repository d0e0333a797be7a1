"""Stored pieces of answers in flight."""

from collections.abc import Sequence
from datetime import timedelta

from msgspec import Struct

from perdure.core.ids import ChatId
from perdure.store.query import Written, query
from perdure.store.scopes import Database


class StoredPiece(Struct, frozen=True):
    seq_from: int
    seq_to: int
    content: str


class EpisodePiece(Struct, frozen=True):
    chat_id: ChatId
    history_version: int
    attempt: int
    seq_from: int
    seq_to: int
    content: str


class Episode(Struct, frozen=True):
    chat_id: ChatId
    history_version: int
    attempt: int


class NewPieces(Struct, frozen=True):
    """Pieces to store, column by column, and the episodes that are over."""

    chats: Sequence[ChatId]
    history_versions: Sequence[int]
    attempts: Sequence[int]
    seq_from: Sequence[int]
    seq_to: Sequence[int]
    contents: Sequence[str]
    over_chats: Sequence[ChatId]
    over_history_versions: Sequence[int]
    over_attempts: Sequence[int]


@query
async def load(db: Database, episode: Episode, after: int) -> list[StoredPiece]: ...


@query
async def load_many(
    db: Database,
    chats: Sequence[ChatId],
    history_versions: Sequence[int],
    attempts: Sequence[int],
    after: Sequence[int],
) -> list[EpisodePiece]: ...


@query
async def sweep(db: Database, age: timedelta) -> Written: ...


@query
async def write(db: Database, pieces: NewPieces) -> list[Episode]: ...
