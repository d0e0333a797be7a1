"""The door to configuration: loaded once, kept for seconds, dropped the moment that somebody changes it."""

import asyncio
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

import msgspec

from perdure.access.keyring import Keyring
from perdure.config.hooks import Hook, HookOptions
from perdure.config.mcp import McpOptions, McpServer
from perdure.config.models import ModelSetting, Provider, ProviderOptions, stored_options
from perdure.config.settings import PersonalSettings, Settings, merged
from perdure.core.ids import ModelName, OrganisationId, ProviderId, UserId
from perdure.core.notice import Notice, Topic
from perdure.core.timing import CONFIG_CACHED, PERSONAL_CACHED, Clock
from perdure.observe.measures.service import DatabaseMeasures
from perdure.store.cache import Cache
from perdure.store.pool import Pool
from perdure.store.pubsub import Pubsub
from perdure.store.scopes import OrganisationScope
from perdure.store.tables import hooks, mcp_servers, memories, models, provider_keys, providers, settings, skills
from perdure.store.tables.hooks import HookRow
from perdure.store.tables.mcp_servers import McpServerRow
from perdure.store.tables.models import ModelRow
from perdure.store.tables.providers import ProviderRow

KEY_PURPOSE = "provider key"
_ORGANISATION, _PERSON = "organisation:", "person:"


@dataclass(frozen=True, slots=True)
class Snapshot:
    """All that an organisation has set up, as of one moment."""

    providers: Mapping[ProviderId, Provider]
    models: Mapping[ModelName, ModelSetting]
    settings: Settings
    keys: Mapping[ProviderId, bytes]
    mcp_servers: tuple[McpServer, ...] = ()
    hooks: tuple[Hook, ...] = ()
    remembers: bool = False
    """Whether it has memories that all its agents are told."""

    @property
    def default(self) -> ModelSetting | None:
        """The model of a chat that names none: the chosen one, else the first that works."""
        usable = [model for model in self.models.values() if model.usable]
        return next((model for model in usable if model.default), usable[0] if usable else None)


@dataclass(frozen=True, slots=True)
class Personal:
    """What one person has set up."""

    settings: PersonalSettings
    keys: Mapping[ProviderId, bytes]
    skills: Mapping[str, str] = field(default_factory=dict[str, str])
    """What each of their skills is for, by name."""
    remembers: bool = False
    """Whether they have memories."""


class Config:
    """Reads configuration. Warm, it costs no query."""

    def __init__(self, pool: Pool, pubsub: Pubsub, keyring: Keyring, clock: Clock) -> None:
        self._pool = pool
        self._pubsub = pubsub
        self._keyring = keyring
        self._organisations = Cache[OrganisationId, Snapshot](self._load, kept=CONFIG_CACHED, clock=clock)
        self._people = Cache[UserId, Personal](self._load_personal, kept=PERSONAL_CACHED, clock=clock)

    async def of(self, organisation_id: OrganisationId) -> Snapshot:
        return await self._organisations.get(organisation_id)

    async def personal(self, user_id: UserId) -> Personal:
        return await self._people.get(user_id)

    async def settings(self, organisation_id: OrganisationId) -> Settings:
        return (await self.of(organisation_id)).settings

    async def model(self, organisation_id: OrganisationId, name: ModelName | None) -> ModelSetting | None:
        """The model of this name, or the default where none is named. None where there is no such usable model."""
        snapshot = await self.of(organisation_id)
        model = snapshot.default if name is None else snapshot.models.get(name)
        return model if model is not None and model.usable else None

    async def key(self, provider: ProviderId, *, organisation_id: OrganisationId, user_id: UserId) -> str | None:
        """The key that pays: the person's own, else the deployment's."""
        sealed = (await self.personal(user_id)).keys.get(provider)
        if sealed is None:
            sealed = (await self.of(organisation_id)).keys.get(provider)
        return None if sealed is None else self._keyring.open(sealed, KEY_PURPOSE)

    def measure(self, measures: DatabaseMeasures) -> None:
        """Show how often something was at hand."""
        caches = {"organisation": self._organisations, "person": self._people}
        measures.cache_hits.read = lambda: {name: cache.hits for name, cache in caches.items()}
        measures.cache_loads.read = lambda: {name: cache.loads for name, cache in caches.items()}

    def follow(self) -> Callable[[], None]:
        """Listen for changes on other replicas; the result stops that."""
        return self._pubsub.listen(self._hear)

    def forget(self) -> None:
        """Another server of the database answers, which may not know what was set up last."""
        self._organisations.forget()
        self._people.forget()

    def changed(self, organisation_id: OrganisationId) -> None:
        """Somebody changed the organisation's configuration."""
        self._tell(f"{_ORGANISATION}{organisation_id}")

    def changed_personal(self, user_id: UserId) -> None:
        self._tell(f"{_PERSON}{user_id}")

    def _tell(self, name: str) -> None:
        notice = Notice(Topic.CONFIG, name=name)
        self._hear(notice)
        self._pubsub.publish([notice])

    def _hear(self, notice: Notice) -> None:
        if notice.topic is not Topic.CONFIG:
            return
        if notice.name.startswith(_ORGANISATION):
            self._organisations.forget(lambda key: str(key) == notice.name.removeprefix(_ORGANISATION))
        elif notice.name.startswith(_PERSON):
            self._people.forget(lambda key: str(key) == notice.name.removeprefix(_PERSON))

    async def _load(self, organisation_id: OrganisationId) -> Snapshot:
        scope = OrganisationScope(self._pool, organisation_id)
        offered, usable, chosen, servers, asked, remembers = await asyncio.gather(
            providers.listed(scope),
            models.listed(scope),
            settings.of_organisation(scope),
            mcp_servers.of_organisation(scope),
            hooks.listed(scope),
            memories.has_organisation(self._pool, organisation_id),
        )
        known = {row.id: provider_of(row) for row in offered}
        return Snapshot(
            providers=known,
            models={row.name: model_of(row, known[row.provider_id]) for row in usable if row.provider_id in known},
            settings=merged(Settings, {row.name: row.value for row in chosen}),
            keys={row.id: row.secret for row in offered if row.secret is not None},
            mcp_servers=tuple(map(mcp_server_of, servers)),
            hooks=tuple(map(hook_of, asked)),
            remembers=remembers,
        )

    async def _load_personal(self, user_id: UserId) -> Personal:
        chosen, keys, index, remembers = await asyncio.gather(
            settings.of_person(self._pool, user_id),
            provider_keys.of_person(self._pool, user_id),
            skills.of_person(self._pool, user_id),
            memories.has_person(self._pool, user_id),
        )
        return Personal(
            settings=merged(PersonalSettings, {row.name: row.value for row in chosen}),
            keys={row.provider_id: row.secret for row in keys},
            skills={row.name: row.description for row in index},
            remembers=remembers,
        )


_provider_options = msgspec.json.Decoder(ProviderOptions)
_mcp_options = msgspec.json.Decoder(McpOptions)
_hook_options = msgspec.json.Decoder(HookOptions)


def provider_of(row: ProviderRow) -> Provider:
    return Provider(
        id=row.id,
        name=row.name,
        dialect=row.dialect,
        base_url=row.base_url,
        enabled=row.enabled,
        options=_provider_options.decode(row.options),
        has_key=row.secret is not None,
    )


def model_of(row: ModelRow, provider: Provider) -> ModelSetting:
    return ModelSetting(
        name=row.name,
        model=row.model,
        provider=provider,
        display_name=row.display_name,
        enabled=row.enabled,
        default=row.chosen,
        options=stored_options(row.options).options,
    )


def mcp_server_of(row: McpServerRow) -> McpServer:
    return McpServer(
        id=row.id,
        slug=row.slug,
        options=_mcp_options.decode(row.options),
        revision=row.revision,
        sealed=row.secret,
    )


def hook_of(row: HookRow) -> Hook:
    return Hook(id=row.id, options=_hook_options.decode(row.options), sealed=row.secret)
