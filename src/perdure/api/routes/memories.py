"""Memories: what agents are told of earlier chats, as people see, change and forget it."""

from datetime import datetime
from enum import StrEnum
from typing import Annotated
from uuid import UUID

from msgspec import UNSET, Meta, Struct, UnsetType

from perdure.api.caller import Caller
from perdure.api.routing import Routes
from perdure.api.wire.content import END, LINE
from perdure.config.memories import LONGEST, Memories
from perdure.core.ids import ChatId, MemoryId
from perdure.store.tables.memories import MemoryRow

MemoryText = Annotated[str, Meta(min_length=1, max_length=4 * LONGEST)]
MemoryLabel = Annotated[
    str,
    Meta(
        max_length=330,
        pattern=r"^([A-Za-z0-9][A-Za-z0-9._/-]*:[^\u0000-\u001f]*[^\s\u0000-\u001f][^\u0000-\u001f]*)?" + END,
    ),
]


class Whose(StrEnum):
    PERSON = "person"
    ORGANISATION = "organisation"


class Memory(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """A fact that agents of later chats are told."""

    id: MemoryId
    whose: Whose
    text: str
    may_change: bool
    """Whether whoever asks may change or forget it."""
    created_at: datetime
    updated_at: datetime
    label: str = ""
    """As key:value: only chats with this label are told it. Empty for all."""
    by_agent: bool = False
    """Whether an agent kept it."""
    chat_id: ChatId | None = None
    """The chat that an agent kept it in, while that is there."""
    message: int | None = None
    """The message with which it was kept."""


class ShownMemories(Struct, frozen=True):
    items: tuple[Memory, ...]


class MemoriesQuery(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    q: Annotated[str, Meta(max_length=500, pattern=LINE)] = ""
    whose: Whose | None = None
    label: Annotated[str, Meta(max_length=330, pattern=LINE)] | None = None
    before: UUID | None = None
    limit: Annotated[int, Meta(ge=1, le=1_000)] = 1_000


class MemoryBody(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True, omit_defaults=True):
    text: MemoryText
    label: MemoryLabel = ""
    whose: Whose = Whose.PERSON


class MemoryPatch(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True, omit_defaults=True):
    text: MemoryText | UnsetType = UNSET
    label: MemoryLabel | UnsetType = UNSET


routes = Routes("memories")


@routes.get("/memories")
async def list_memories(caller: Caller, query: MemoriesQuery) -> ShownMemories:
    """Your memories and your organisation's, newest first; with words, best match first."""
    everybody = None if query.whose is None else query.whose is Whose.ORGANISATION
    found = Memories(caller.rows)
    rows = await found.page(
        everybody=everybody, label=query.label, words=query.q, before=query.before, limit=query.limit
    )
    return ShownMemories(tuple(_shown(found, row) for row in rows))


@routes.post("/memories", status=201)
async def add_memory(caller: Caller, body: MemoryBody) -> Memory:
    """Write down what agents of later chats are told. What is there already is not added again."""
    found, new = Memories(caller.rows), MemoryId(caller.made_id("memory"))
    row = await found.add(new, body.text, label=body.label, everybody=body.whose is Whose.ORGANISATION)
    return _changed(caller, found, row)


@routes.patch("/memories/{memory_id}")
async def change_memory(caller: Caller, memory_id: MemoryId, body: MemoryPatch) -> Memory:
    """Change a memory. Every chat that is told it reads the change from its next turn on."""
    found = Memories(caller.rows)
    text, label = (None if given is UNSET else given for given in (body.text, body.label))
    return _changed(caller, found, await found.change(memory_id, text, label))


@routes.delete("/memories/{memory_id}")
async def forget_memory(caller: Caller, memory_id: MemoryId) -> None:
    """Forget a memory. No chat is told it from its next turn on."""
    found = Memories(caller.rows)
    _changed(caller, found, await found.forget(memory_id))


@routes.delete("/memories")
async def forget_memories(caller: Caller) -> None:
    """Forget every memory of your own."""
    await Memories(caller.rows).forget_all()
    caller.announcements.personal_config_changed()


def _changed(caller: Caller, found: Memories, row: MemoryRow) -> Memory:
    if row.owner_id is None:
        caller.announcements.config_changed()
    else:
        caller.announcements.personal_config_changed()
    return _shown(found, row)


def _shown(found: Memories, row: MemoryRow) -> Memory:
    return Memory(
        id=row.id,
        whose=Whose.PERSON if row.owner_id else Whose.ORGANISATION,
        text=row.text,
        label=row.label,
        may_change=found.may_change(row),
        by_agent=row.by_agent,
        chat_id=row.chat_id,
        message=row.message,
        created_at=row.created_at,
        updated_at=row.updated_at,
    )
