"""Hooks as an actor may see and change them. Their secrets go in encrypted and never come back."""

import msgspec
from asyncpg import Record

from perdure.access.audit import record
from perdure.access.keyring import Keyring
from perdure.access.roles import Permission
from perdure.access.rows import ActorRows
from perdure.config.config import hook_of
from perdure.config.hooks import HOOK_PURPOSE, Hook, HookOptions
from perdure.core.errors import NotFound
from perdure.core.ids import HookId

_CONFIGURE = Permission.CONFIGURE


class HookConfiguration:
    """The hooks of the actor's organisation."""

    def __init__(self, rows: ActorRows, keyring: Keyring) -> None:
        self._rows = rows
        self._keyring = keyring

    async def all(self) -> list[Hook]:
        return [hook_of(row) for row in await self._rows.of_organisation(_CONFIGURE, "hooks/list")]

    async def one(self, hook_id: HookId) -> Hook:
        found = next((hook for hook in await self.all() if hook.id == hook_id), None)
        if found is None:
            raise NotFound("There is no such hook.")
        return found

    async def add(self, options: HookOptions, secret: str) -> Hook:
        rows = await self._rows.of_organisation(_CONFIGURE, "hooks/add", _text(options), self._sealed(secret))
        await record(self._rows, "hook.add", rows[0]["id"], url=options.url, events=options.events)
        return hook_of(rows[0])

    async def change(self, hook_id: HookId, changes: dict[str, object], secret: str | None) -> Hook:
        options = msgspec.structs.replace((await self.one(hook_id)).options, **changes)
        sealed = None if secret is None else self._sealed(secret)
        rows = await self._rows.of_organisation(_CONFIGURE, "hooks/change", hook_id, _text(options), sealed)
        if not rows:
            raise NotFound("There is no such hook.")
        await record(self._rows, "hook.change", hook_id, fields=sorted(changes), secret=secret is not None)
        return hook_of(rows[0])

    async def delete(self, hook_id: HookId) -> None:
        if not await self._rows.of_organisation(_CONFIGURE, "hooks/delete", hook_id):
            raise NotFound("There is no such hook.")
        await record(self._rows, "hook.delete", hook_id)

    async def deliveries(self, hook_id: HookId, *, before: int | None, limit: int) -> list[Record]:
        await self.one(hook_id)
        return await self._rows.of_organisation(_CONFIGURE, "hooks/deliveries", hook_id, before, limit)

    def _sealed(self, secret: str) -> bytes:
        return self._keyring.seal(secret, HOOK_PURPOSE)


def _text(value: object) -> str:
    return msgspec.json.encode(value).decode()
