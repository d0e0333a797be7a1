"""Personal skills on the wire."""

from datetime import datetime
from typing import Annotated

from msgspec import Meta, Struct

from perdure.api.wire.content import END, LINE

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
