"""Configuration as an actor may change it. Secrets go in encrypted and never come back."""

from typing import Any
from uuid import UUID

import msgspec
from msgspec import structs

from perdure.access.actor import ActorRows, Permission, record
from perdure.access.credentials import HINT_LENGTH
from perdure.access.keyring import Keyring
from perdure.config.config import KEY_PURPOSE, provider_of
from perdure.config.models import ModelOptions, Provider, ProviderOptions
from perdure.config.settings import PersonalSettings, Settings, checked
from perdure.core.errors import InvalidInput, NotFound, Validation
from perdure.core.ids import ModelName, ProviderId
from perdure.store.tables import models, provider_keys, providers, settings
from perdure.store.tables.models import ModelRow
from perdure.store.tables.provider_keys import KeyRow

_CONFIGURE = Permission.CONFIGURE


class Configuration:
    """Providers, keys, models and settings."""

    def __init__(self, rows: ActorRows, keyring: Keyring) -> None:
        self._rows = rows
        self._keyring = keyring

    async def providers(self) -> tuple[Provider, ...]:
        return tuple(provider_of(row) for row in await providers.listed(self._rows.organisation(_CONFIGURE)))

    async def provider(self, provider_id: ProviderId) -> Provider:
        found = next((provider for provider in await self.providers() if provider.id == provider_id), None)
        if found is None:
            raise NotFound("Provider not found.")
        return found

    async def add_provider(self, provider: Provider, *, key: str | None = None) -> Provider:
        if key is not None:
            return await self._add_with_key(provider, key)
        row = await providers.add(
            self._rows.organisation(_CONFIGURE),
            provider.name,
            provider.dialect,
            provider.base_url,
            provider.enabled,
            _text(provider.options),
        )
        await record(self._rows, "provider.add", row.id, name=provider.name, base_url=provider.base_url)
        return provider_of(row)

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
        organisation = self._rows.organisation(_CONFIGURE)
        text = None if options is None else _text(options)
        row = await providers.change(organisation, provider_id, name, base_url, enabled, text)
        if row is None:
            raise NotFound("Provider not found.")
        await record(self._rows, "provider.change", provider_id, name=name, base_url=base_url, enabled=enabled)
        return provider_of(row)

    async def delete_provider(self, provider_id: ProviderId) -> None:
        if await providers.delete(self._rows.organisation(_CONFIGURE), provider_id) is None:
            raise NotFound("Provider not found.")
        await record(self._rows, "provider.delete", provider_id)

    async def keys(self, provider_id: ProviderId) -> list[KeyRow]:
        """The keys that the actor may know of: their own, and for those who configure the deployment's."""
        keys = await provider_keys.own(self._rows, provider_id)
        if _CONFIGURE in self._rows.actor.permissions:
            keys += await provider_keys.shared(self._rows.organisation(_CONFIGURE), provider_id)
        return keys

    async def put_key(self, provider_id: ProviderId, key: str, *, personal: bool) -> KeyRow:
        sealed, hint = self._keyring.seal(key, KEY_PURPOSE), key[-HINT_LENGTH:] if len(key) >= 16 else ""
        if personal:
            self._rows.actor.require(Permission.CHAT)
            put = await provider_keys.put_own(self._rows, provider_id, sealed, hint)
        else:
            put = await provider_keys.put_shared(self._rows.organisation(_CONFIGURE), provider_id, sealed, hint)
        if put is None:
            raise NotFound("Provider not found.")
        await record(self._rows, "key.put", provider_id, personal=personal)
        return put

    async def delete_key(self, provider_id: ProviderId, *, personal: bool) -> None:
        if personal:
            gone = await provider_keys.delete_own(self._rows, provider_id)
        else:
            gone = await provider_keys.delete_shared(self._rows.organisation(_CONFIGURE), provider_id)
        if gone is None:
            raise NotFound("Key not found.")
        await record(self._rows, "key.delete", provider_id, personal=personal)

    async def put_setting(self, name: str, value: Any) -> None:
        await settings.put(self._rows.organisation(_CONFIGURE), name, checked(Settings, name, value))
        await record(self._rows, "setting.put", name)

    async def put_personal_setting(self, name: str, value: Any) -> None:
        await settings.put_own(self._rows, name, checked(PersonalSettings, name, value))


class ModelConfiguration:
    """The models that chats may use."""

    def __init__(self, rows: ActorRows) -> None:
        self._rows = rows

    async def all(self) -> list[ModelRow]:
        return await models.listed(self._rows.organisation(_CONFIGURE))

    async def add(
        self, name: ModelName, provider_id: UUID, model: str, *, display_name: str, enabled: bool, options: ModelOptions
    ) -> None:
        organisation = self._rows.organisation(_CONFIGURE)
        if await models.add(organisation, name, provider_id, model, display_name, enabled, _text(options)) is None:
            raise InvalidInput("Provider not found.", Validation("provider_id", "is not known"))
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
        organisation = self._rows.organisation(_CONFIGURE)
        text = None if options is None else _text(options)
        if await models.change(organisation, name, model, display_name, enabled, text) is None:
            raise NotFound("Model not found.")
        await record(self._rows, "model.change", name, model=model, enabled=enabled)

    async def choose(self, name: ModelName) -> None:
        """Make it the default."""
        async with self._rows.together() as rows:
            organisation = rows.organisation(_CONFIGURE)
            await models.choose_alone(organisation)
            await models.unchoose(organisation)
            if await models.choose(organisation, name) is None:
                raise NotFound("Model not found.")
            await record(rows, "model.choose", name)

    async def delete(self, name: ModelName) -> None:
        if await models.delete(self._rows.organisation(_CONFIGURE), name) is None:
            raise NotFound("Model not found.")
        await record(self._rows, "model.delete", name)


def _text(value: object) -> str:
    return msgspec.json.encode(value).decode()
