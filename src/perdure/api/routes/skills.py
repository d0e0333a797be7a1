"""Your own skills: what you teach your agents once."""

import re
from datetime import datetime
from typing import Annotated

import msgspec
from msgspec import Meta, Struct

from perdure.access.actor import Permission
from perdure.api.caller import Caller
from perdure.api.routing import Routes
from perdure.api.wire.content import END, LINE
from perdure.config.skills import MOST, header_of
from perdure.core.errors import InvalidInput, NotFound, Refused, Validation
from perdure.store.tables import skills
from perdure.store.tables.skills import Skill

Description = Annotated[str, Meta(max_length=1_000)]
Content = Annotated[str, Meta(min_length=1, max_length=128 * 1024)]
FileName = Annotated[
    str, Meta(pattern=r"^(?!\.{1,2}(/|$))[A-Za-z0-9_.-]+(/[A-Za-z0-9_-][A-Za-z0-9_.-]*)*" + END, max_length=200)
]
Files = Annotated[dict[FileName, Annotated[str, Meta(max_length=64 * 1024)]], Meta(max_length=20)]
SKILL_NAME = r"^[a-z0-9]([a-z0-9-]{0,62}[a-z0-9])?$"


class SkillEntry(Struct, frozen=True, kw_only=True):
    """A skill without its text."""

    name: str
    description: str
    updated_at: datetime


class SkillEntries(Struct, frozen=True):
    items: tuple[SkillEntry, ...]


class SkillText(Struct, frozen=True, kw_only=True):
    name: str
    description: str
    content: str
    files: dict[str, str]
    updated_at: datetime


class SkillBody(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True, omit_defaults=True):
    content: Content
    description: Annotated[str, Meta(max_length=1_000, pattern=LINE)] = ""
    """What it is for. Where it is not given, the content's header says it."""
    files: Files = {}


routes = Routes("skills")


@routes.get("/skills")
async def list_skills(caller: Caller) -> SkillEntries:
    """Your skills."""
    rows = await skills.listed(caller.rows)
    return SkillEntries(tuple(msgspec.convert(row, SkillEntry, from_attributes=True) for row in rows))


@routes.get("/skills/{name}")
async def read_skill_text(caller: Caller, name: str) -> SkillText:
    """One of your skills."""
    return _shown(await skills.read(caller.rows, name))


@routes.put("/skills/{name}")
async def put_skill(caller: Caller, name: str, body: SkillBody) -> SkillText:
    """Add or change a skill. Your agents see its description, and read it when they need it."""
    caller.actor.require(Permission.CHAT)
    if re.fullmatch(SKILL_NAME, name) is None:
        raise InvalidInput("The name cannot be used.", Validation("name", "lowercase letters, digits and hyphens"))
    header = header_of(body.content)
    if header.name and header.name != name:
        raise InvalidInput(
            "The skill's header has another name.", Validation("content", f"its header says {header.name!r}")
        )
    description = body.description.strip() or header.description[:1_000]
    if not description:
        raise InvalidInput("The skill has no description.", Validation("description", "is needed"))
    files = msgspec.json.encode(body.files).decode()
    row = await skills.put(caller.rows, name, description, body.content, files, MOST)
    if row is None:
        raise Refused(f"You have {MOST} skills, which is the limit. Delete one first.")
    caller.announcements.personal_config_changed()
    return _shown(row)


@routes.delete("/skills/{name}")
async def delete_skill(caller: Caller, name: str) -> None:
    """Delete one of your skills."""
    if await skills.delete(caller.rows, name) is None:
        raise NotFound("Skill not found.")
    caller.announcements.personal_config_changed()


def _shown(row: Skill | None) -> SkillText:
    if row is None:
        raise NotFound("Skill not found.")
    return SkillText(
        name=row.name,
        description=row.description,
        content=row.content,
        files=msgspec.json.decode(row.files, type=dict[str, str]),
        updated_at=row.updated_at,
    )
