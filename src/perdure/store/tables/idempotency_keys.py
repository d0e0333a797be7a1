"""Answers to requests, by the key that came with them."""

from datetime import timedelta

from msgspec import Struct

from perdure.store.query import query
from perdure.store.scopes import Database, PersonScope


class KeptAnswer(Struct, frozen=True):
    request_hash: bytes
    answer: str


@query
async def begin(scope: PersonScope, route: str, key: str, request_hash: bytes) -> str | None: ...


@query
async def keep(scope: PersonScope, route: str, key: str, answer: str) -> None: ...


@query
async def kept(scope: PersonScope, route: str, key: str, age: timedelta) -> KeptAnswer | None: ...


@query
async def note(scope: PersonScope, route: str, key: str, request_hash: bytes, answer: str) -> None: ...


@query
async def forget_old(db: Database, kept: timedelta) -> None: ...
