"""Configuration as an actor may change it. Secrets go in encrypted and never come back."""

from typing import Any
from uuid import UUID

import msgspec
from asyncpg import Record
from msgspec import structs

from perdure.access.audit import record
from perdure.access.keyring import Keyring
from perdure.access.roles import Permission
from perdure.access.rows import ActorRows
from perdure.access.secret_texts import HINT_LENGTH
from perdure.config.config import KEY_PURPOSE, provider_of
from perdure.config.models import ModelOptions, Provider, ProviderOptions
from perdure.config.settings import PersonalSettings, Settings, checked
from perdure.core.errors import InvalidInput, NotFound, Refused, Validation
from perdure.core.ids import ModelName, ProviderId

_CONFIGURE = Permission.CONFIGURE


class Configuration:
    """Providers, keys, models and settings."""

    def __init__(self, rows: ActorRows, keyring: Keyring) -> None:
        self._rows = rows
        self._keyring = keyring

    async def providers(self) -> tuple[Provider, ...]:
        return tuple(provider_of(row) for row in await self._rows.of_organisation(_CONFIGURE, "providers/list"))

    async def provider(self, provider_id: ProviderId) -> Provider:
        found = next((provider for provider in await self.providers() if provider.id == provider_id), None)
        if found is None:
            raise NotFound("There is no such provider.")
        return found

    async def add_provider(self, provider: Provider, *, key: str | None = None) -> Provider:
        if key is not None:
            return await self._add_with_key(provider, key)
        rows = await self._rows.of_organisation(
            _CONFIGURE,
            "providers/add",
            provider.name,
            provider.dialect,
            provider.base_url,
            provider.enabled,
            _text(provider.options),
        )
        if not rows:
            raise Refused("There is a provider of this name already.")
        await record(self._rows, "provider.add", rows[0]["id"], name=provider.name, base_url=provider.base_url)
        return provider_of(rows[0])

    async def _add_with_key(self, provider: Provider, key: str) -> Provider:
        """Both of them or neither."""
        async with self._rows.together() as rows:
            both = Configuration(rows, self._keyring)
            added = await both.add_provider(provider)
            await both.put_key(added.id, key, personal=False)
            return structs.replace(added, has_key=True)

    async def change_provider(
        self,
        provider_id: ProviderId,
        *,
        name: str | None,
        base_url: str | None,
        enabled: bool | None,
        options: ProviderOptions | None,
    ) -> Provider:
        rows = await self._rows.of_organisation(
            _CONFIGURE, "providers/change", provider_id, name, base_url, enabled, options and _text(options)
        )
        if not rows:
            raise NotFound("There is no such provider.")
        await record(self._rows, "provider.change", provider_id, name=name, base_url=base_url, enabled=enabled)
        return provider_of(rows[0])

    async def delete_provider(self, provider_id: ProviderId) -> None:
        if not await self._rows.of_organisation(_CONFIGURE, "providers/delete", provider_id):
            raise NotFound("There is no such provider.")
        await record(self._rows, "provider.delete", provider_id)

    async def keys(self, provider_id: ProviderId) -> list[Record]:
        """The keys that the actor may know of: their own, and for those who configure the deployment's."""
        keys = await self._rows.all("keys/list", provider_id)
        if _CONFIGURE in self._rows.actor.permissions:
            keys += await self._rows.of_organisation(_CONFIGURE, "keys/list", provider_id)
        return keys

    async def put_key(self, provider_id: ProviderId, key: str, *, personal: bool) -> Record:
        sealed, hint = self._keyring.seal(key, KEY_PURPOSE), key[-HINT_LENGTH:] if len(key) >= 16 else ""
        if personal:
            self._rows.actor.require(Permission.CHAT)
            rows = await self._rows.all("keys/put", provider_id, sealed, hint)
        else:
            rows = await self._rows.of_organisation(_CONFIGURE, "keys/put", provider_id, sealed, hint)
        if not rows:
            raise NotFound("There is no such provider.")
        await record(self._rows, "key.put", provider_id, personal=personal)
        return rows[0]

    async def delete_key(self, provider_id: ProviderId, *, personal: bool) -> None:
        if personal:
            rows = await self._rows.all("keys/delete", provider_id)
        else:
            rows = await self._rows.of_organisation(_CONFIGURE, "keys/delete", provider_id)
        if not rows:
            raise NotFound("There is no such key.")
        await record(self._rows, "key.delete", provider_id, personal=personal)

    async def put_setting(self, name: str, value: Any) -> None:
        self._rows.actor.require(_CONFIGURE)
        await self._rows.of_organisation(_CONFIGURE, "settings/put", name, checked(Settings, name, value))
        await record(self._rows, "setting.put", name)

    async def put_personal_setting(self, name: str, value: Any) -> None:
        await self._rows.one("settings/put", name, checked(PersonalSettings, name, value))


class ModelConfiguration:
    """The models that chats may use."""

    def __init__(self, rows: ActorRows) -> None:
        self._rows = rows

    async def all(self) -> list[Record]:
        return await self._rows.of_organisation(_CONFIGURE, "models/list")

    async def add(
        self, name: ModelName, provider_id: UUID, model: str, *, display_name: str, enabled: bool, options: ModelOptions
    ) -> None:
        self._rows.actor.require(_CONFIGURE)
        taken = any(row["name"] == name for row in await self.all())
        if taken:
            raise Refused("There is a model of this name already.")
        values = (name, provider_id, model, display_name, enabled, _text(options))
        if not await self._rows.of_organisation(_CONFIGURE, "models/put", *values):
            raise InvalidInput("There is no such provider.", Validation("provider_id", "is not known"))
        await record(self._rows, "model.add", name, model=model)

    async def change(
        self,
        name: ModelName,
        *,
        model: str | None,
        display_name: str | None,
        enabled: bool | None,
        options: ModelOptions | None,
    ) -> None:
        values = (name, model, display_name, enabled, options and _text(options))
        if not await self._rows.of_organisation(_CONFIGURE, "models/change", *values):
            raise NotFound("There is no such model.")
        await record(self._rows, "model.change", name, model=model, enabled=enabled)

    async def choose(self, name: ModelName) -> None:
        """Make it the default."""
        async with self._rows.together() as rows:
            await rows.of_organisation(_CONFIGURE, "models/unchoose")
            if not await rows.of_organisation(_CONFIGURE, "models/choose", name):
                raise NotFound("There is no such model.")
            await record(rows, "model.choose", name)

    async def delete(self, name: ModelName) -> None:
        if not await self._rows.of_organisation(_CONFIGURE, "models/delete", name):
            raise NotFound("There is no such model.")
        await record(self._rows, "model.delete", name)


def _text(value: object) -> str:
    return msgspec.json.encode(value).decode()
