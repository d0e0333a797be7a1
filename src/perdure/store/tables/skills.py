"""Skills that people keep."""

from datetime import datetime

from msgspec import Struct

from perdure.core.ids import UserId
from perdure.store.query import query
from perdure.store.scopes import Database, PersonScope


class SkillEntry(Struct, frozen=True):
    name: str
    description: str
    updated_at: datetime


class Skill(Struct, frozen=True):
    name: str
    description: str
    content: str
    files: str
    updated_at: datetime


class SkillIndex(Struct, frozen=True):
    name: str
    description: str


class SkillText(Struct, frozen=True):
    name: str
    description: str
    content: str
    files: str


@query
async def listed(scope: PersonScope) -> list[SkillEntry]: ...


@query
async def read(scope: PersonScope, name: str) -> Skill | None: ...


@query
async def put(scope: PersonScope, name: str, description: str, content: str, files: str, most: int) -> Skill | None: ...


@query
async def delete(scope: PersonScope, name: str) -> str | None: ...


@query
async def of_person(db: Database, user_id: UserId) -> list[SkillIndex]: ...


@query
async def read_of_person(db: Database, user_id: UserId, name: str) -> SkillText | None: ...
