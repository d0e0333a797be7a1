"""Hooks as an actor may see and change them. Their secrets go in encrypted and never come back."""

import msgspec

from perdure.access.audit import record
from perdure.access.keyring import Keyring
from perdure.access.roles import Permission
from perdure.access.rows import ActorRows
from perdure.config.config import hook_of
from perdure.config.hooks import HOOK_PURPOSE, Hook, HookOptions
from perdure.core.addresses import reachable
from perdure.core.errors import InvalidInput, NotFound, Validation
from perdure.core.ids import HookId
from perdure.store.tables import hooks
from perdure.store.tables.hooks import Delivery

_CONFIGURE = Permission.CONFIGURE


class HookConfiguration:
    """The hooks of the actor's organisation."""

    def __init__(self, rows: ActorRows, keyring: Keyring) -> None:
        self._rows = rows
        self._keyring = keyring

    async def all(self) -> list[Hook]:
        return [hook_of(row) for row in await hooks.listed(self._rows.organisation(_CONFIGURE))]

    async def one(self, hook_id: HookId) -> Hook:
        found = next((hook for hook in await self.all() if hook.id == hook_id), None)
        if found is None:
            raise NotFound("There is no such hook.")
        return found

    async def add(self, options: HookOptions, secret: str) -> Hook:
        _check(options)
        row = await hooks.add(self._rows.organisation(_CONFIGURE), _text(options), self._sealed(secret))
        await record(self._rows, "hook.add", row.id, url=options.url, events=options.events)
        return hook_of(row)

    async def change(self, hook_id: HookId, changes: dict[str, object], secret: str | None) -> Hook:
        options = msgspec.structs.replace((await self.one(hook_id)).options, **changes)
        _check(options)
        sealed = None if secret is None else self._sealed(secret)
        row = await hooks.change(self._rows.organisation(_CONFIGURE), hook_id, _text(options), sealed)
        if row is None:
            raise NotFound("There is no such hook.")
        await record(self._rows, "hook.change", hook_id, fields=sorted(changes), secret=secret is not None)
        return hook_of(row)

    async def delete(self, hook_id: HookId) -> None:
        if await hooks.delete(self._rows.organisation(_CONFIGURE), hook_id) is None:
            raise NotFound("There is no such hook.")
        await record(self._rows, "hook.delete", hook_id)

    async def deliveries(self, hook_id: HookId, *, before: int | None, limit: int) -> list[Delivery]:
        await self.one(hook_id)
        return await hooks.deliveries(self._rows.organisation(_CONFIGURE), hook_id, before, limit)

    def _sealed(self, secret: str) -> bytes:
        return self._keyring.seal(secret, HOOK_PURPOSE)


def _check(options: HookOptions) -> None:
    """Refuse an address that nobody can be asked at."""
    if reachable(options.url) is None:
        raise InvalidInput("The hook cannot be reached.", Validation("url", "is not an address"))


def _text(value: object) -> str:
    return msgspec.json.encode(value).decode()
