"""Memories: what a person, or their agents on their behalf, may keep for later chats, and who may change it."""

import re
from uuid import UUID

from perdure.access.actor import Actor, ActorRows, Permission, record
from perdure.core.errors import InvalidInput, NotFound, Refused, Validation
from perdure.core.ids import MemoryId
from perdure.core.text import normalised, storable
from perdure.observe.redaction import redacted
from perdure.store.scopes import PersonScope
from perdure.store.tables import memories
from perdure.store.tables.memories import MemoryRow, NewMemory

LONGEST = 1_000
MOST = 1_000
"""How many a person may have, and how many an organisation."""

_NAMED_SECRET = re.compile(
    r"(?i)\b(?:password|passwd|passphrase|pwd|secret|api[ _-]?key|access[ _-]?key|token)\b['\"]?\s*(?:is|[:=])\s*"
    r"['\"]?(?=\S*[\d!@#$%^&*])\S{6,}"
)
"""A secret that is called one: what follows has a digit or a sign, as words do not."""


def fitting(text: str) -> str:
    """The text as it is kept: on one line, without what cannot be seen. Raises InvalidInput where it cannot be."""
    plain = " ".join(normalised(storable(text)).split())
    if not plain:
        raise _unfit("The memory is empty.", "is empty")
    if len(plain) > LONGEST:
        raise _unfit("The memory is too long.", f"at most {LONGEST} characters, and these are {len(plain)}")
    if redacted(plain) != plain or _NAMED_SECRET.search(plain):
        raise _unfit("This looks like a secret. Every later chat would see it.", "looks like a secret")
    return plain


def _unfit(message: str, detail: str) -> InvalidInput:
    return InvalidInput(message, Validation("text", detail))


async def kept(scope: PersonScope, memory: NewMemory) -> MemoryRow:
    """The memory once it is there; the one that says the same already, where there is one."""
    known = await memories.alike(scope, memory.id, memory.everybody, memory.label, memory.text)
    if known is not None:
        return known
    await memories.add(scope, memory, MOST)
    known = await memories.alike(scope, memory.id, memory.everybody, memory.label, memory.text)
    if known is None:
        raise Refused(f"You have {MOST} memories, which is the limit. Delete one first.")
    return known


class Memories:
    """The memories of one person and of their organisation, as that person may see and change them."""

    def __init__(self, rows: ActorRows) -> None:
        self._rows = rows

    @property
    def _actor(self) -> Actor:
        return self._rows.actor

    async def page(
        self, *, everybody: bool | None, label: str | None, words: str, before: UUID | None, limit: int
    ) -> list[MemoryRow]:
        """Newest first; those with these words, best first."""
        piece = re.sub(r"([\\%_])", r"\\\1", words.strip())
        return await memories.listed(self._rows, everybody, label, piece, words.strip(), before, limit)

    async def add(self, memory_id: MemoryId, text: str, *, label: str, everybody: bool) -> MemoryRow:
        """Keep something: of one's own, or for everybody where one may."""
        self._require(everybody=everybody)
        row = await kept(self._rows, NewMemory(id=memory_id, everybody=everybody, label=label, text=fitting(text)))
        await self._record("memory.add", row)
        return row

    async def change(self, memory_id: MemoryId, text: str | None, label: str | None) -> MemoryRow:
        known = await self._known(memory_id)
        said = known.text if text is None else fitting(text)
        where = known.label if label is None else label
        row = await memories.change(self._rows, memory_id, said, where, self._for_everybody)
        if row is None:
            raise _missing()
        await self._record("memory.change", row)
        return row

    async def forget(self, memory_id: MemoryId) -> MemoryRow:
        known = await self._known(memory_id)
        if await memories.forget(self._rows, memory_id, self._for_everybody) is None:
            raise _missing()
        await self._record("memory.forget", known)
        return known

    async def forget_all(self) -> int:
        """Forget everything of one's own."""
        self._require(everybody=False)
        return await memories.forget_all(self._rows)

    def may_change(self, row: MemoryRow) -> bool:
        return row.owner_id is not None or self._for_everybody

    @property
    def _for_everybody(self) -> bool:
        return Permission.CONFIGURE in self._actor.permissions

    async def _known(self, memory_id: MemoryId) -> MemoryRow:
        row = await memories.one(self._rows, memory_id)
        if row is None:
            raise _missing()
        self._require(everybody=row.owner_id is None)
        return row

    def _require(self, *, everybody: bool) -> None:
        self._actor.require(Permission.CONFIGURE if everybody else Permission.CHAT)

    async def _record(self, action: str, row: MemoryRow) -> None:
        """What everybody's agents are told is looked after; what is somebody's own is nobody else's business."""
        if row.owner_id is None:
            await record(self._rows, action, row.id)


def _missing() -> NotFound:
    return NotFound("Memory not found.")
