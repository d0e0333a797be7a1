"""Notices between replicas."""

from collections.abc import Sequence

from perdure.store.query import query
from perdure.store.scopes import Database


@query
async def send(db: Database, channel: str, payloads: Sequence[str]) -> None: ...
