"""Where models come from: providers, keys, models, and the catalog of those we know."""

from uuid import UUID

import msgspec
from msgspec import structs

from perdure.agent.configured_models import described, settings_of, wrong_options
from perdure.api.caller import Caller
from perdure.api.routing import Routes
from perdure.api.wire.models import (
    Catalog,
    CatalogEntry,
    Key,
    KeyBody,
    KeyQuery,
    Keys,
    Model,
    ModelBody,
    ModelPatch,
    Models,
    ModelSettings,
    Offered,
    ProviderBody,
    ProviderPatch,
    Providers,
    Setting,
    TestBody,
    Tested,
)
from perdure.config.models import ModelOptions, ModelSetting, Provider, stored_options
from perdure.core.errors import InvalidInput, Misconfigured, NotFound, Refused, Validation
from perdure.core.headers import wrong_headers, wrong_value
from perdure.core.ids import ModelName, ProviderId
from perdure.providers.catalog import Catalog as Known
from perdure.providers.dialects.registry import dialect_named
from perdure.providers.model import Model as KnownModel
from perdure.providers.service import endpoint, split_address
from perdure.store.tables.models import ModelRow
from perdure.store.tables.provider_keys import KeyRow

routes = Routes("models")


@routes.get("/models")
async def list_models(caller: Caller) -> Models:
    """The models that a chat can use, and which is the default."""
    snapshot = await caller.config.of(caller.actor.organisation_id)
    default = snapshot.default
    usable = [model for model in snapshot.models.values() if model.usable]
    catalog = caller.services.catalog
    return Models(tuple(Model.of(model, _known(catalog, model), default=model is default) for model in usable))


@routes.get("/catalog")
async def read_catalog(caller: Caller) -> Catalog:
    """The built-in catalog of models, with their windows and prices."""
    return Catalog(
        tuple(msgspec.convert(msgspec.to_builtins(model), CatalogEntry) for model in caller.services.catalog)
    )


@routes.get("/providers")
async def list_providers(caller: Caller) -> Providers:
    """The providers that serve models."""
    return Providers(await caller.administration.providers.providers())


@routes.post("/providers", status=201)
async def add_provider(caller: Caller, body: ProviderBody) -> Provider:
    """Add a provider, with or without its key."""
    _known_dialect(body.dialect)
    _check_key(body.key)
    provider = Provider(
        id=NO_ID,
        name=body.name,
        dialect=body.dialect,
        base_url=body.base_url,
        enabled=body.enabled,
        options=body.options,
    )
    _check_reachable(provider)
    added = await caller.administration.providers.add_provider(provider, key=body.key)
    caller.announcements.config_changed()
    return added


@routes.patch("/providers/{provider_id}")
async def change_provider(caller: Caller, provider_id: ProviderId, body: ProviderPatch) -> Provider:
    """Change a provider, or turn it off."""
    if body.base_url is not None or body.options is not None:
        known = await caller.administration.providers.provider(provider_id)
        base_url = known.base_url if body.base_url is None else body.base_url
        _check_reachable(structs.replace(known, base_url=base_url, options=body.options or known.options))
    changed = await caller.administration.providers.change_provider(
        provider_id, name=body.name, base_url=body.base_url, enabled=body.enabled, options=body.options
    )
    caller.announcements.config_changed()
    return changed


@routes.delete("/providers/{provider_id}")
async def remove_provider(caller: Caller, provider_id: ProviderId) -> None:
    """Remove a provider with its keys and models."""
    await caller.administration.providers.delete_provider(provider_id)
    caller.announcements.config_changed()


@routes.post("/providers/{provider_id}/test", apart=True)
async def test_provider(caller: Caller, provider_id: ProviderId, body: TestBody) -> Tested:
    """Test a provider with a small request to one of its models; before any is set up, to the smallest it offers."""
    provider = await caller.administration.providers.provider(provider_id)
    snapshot = await caller.config.of(caller.actor.organisation_id)
    own = [model for model in snapshot.models.values() if model.provider.id == provider.id]
    own.sort(key=lambda model: not model.enabled)
    wanted = next((model for model in own if body.model in (None, model.name)), None)
    if wanted is None and body.model is not None:
        raise Refused("The provider does not list this model. Add it, then test it.")
    return await caller.services.probe.try_provider(caller.actor, provider, wanted)


@routes.get("/providers/{provider_id}/models")
async def list_offered(caller: Caller, provider_id: ProviderId) -> Offered:
    """The models that a provider lists, under its own names."""
    provider = await caller.administration.providers.provider(provider_id)
    return await caller.services.probe.offered(caller.actor, provider)


@routes.get("/providers/{provider_id}/keys")
async def list_keys(caller: Caller, provider_id: ProviderId) -> Keys:
    """Which keys a provider has: the deployment's, and your own."""
    if provider_id not in (await caller.config.of(caller.actor.organisation_id)).providers:
        raise NotFound("Provider not found.")
    return Keys(tuple(_key(row) for row in await caller.administration.providers.keys(provider_id)))


@routes.post("/providers/{provider_id}/keys", status=201)
async def put_key(caller: Caller, provider_id: ProviderId, body: KeyBody) -> Key:
    """Set a provider's key: the deployment's, or your own, which is billed for your chats."""
    _check_key(body.key)
    row = await caller.administration.providers.put_key(provider_id, body.key, personal=body.personal)
    caller.announcements.config_changed()
    caller.announcements.personal_config_changed()
    return _key(row)


@routes.delete("/providers/{provider_id}/keys")
async def remove_key(caller: Caller, provider_id: ProviderId, query: KeyQuery) -> None:
    """Remove a key."""
    await caller.administration.providers.delete_key(provider_id, personal=query.personal)
    caller.announcements.config_changed()
    caller.announcements.personal_config_changed()


@routes.get("/model-settings")
async def list_model_settings(caller: Caller) -> ModelSettings:
    """Every model that is set up, including those that are turned off."""
    return ModelSettings(tuple(_setting(row) for row in await caller.administration.models.all()))


@routes.post("/model-settings", status=201)
async def add_model(caller: Caller, body: ModelBody) -> Setting:
    """Add a model for chats, under an alias."""
    _check_options(body.options)
    await caller.administration.models.add(
        body.name,
        body.provider_id,
        body.model,
        display_name=body.display_name,
        enabled=body.enabled,
        options=body.options,
    )
    if body.default:
        await caller.administration.models.choose(body.name)
    caller.announcements.config_changed()
    return await _model(caller, body.name)


@routes.patch("/model-settings/{name}")
async def change_model(caller: Caller, name: ModelName, body: ModelPatch) -> Setting:
    """Change how a model is used, or make it the default."""
    if body.options is not None:
        _check_options(body.options)
    await caller.administration.models.change(
        name, model=body.model, display_name=body.display_name, enabled=body.enabled, options=body.options
    )
    if body.default:
        await caller.administration.models.choose(name)
    caller.announcements.config_changed()
    return await _model(caller, name)


@routes.delete("/model-settings/{name}")
async def remove_model(caller: Caller, name: ModelName) -> None:
    """Remove a model. Chats that used it continue with the default."""
    await caller.administration.models.delete(name)
    caller.announcements.config_changed()


def _known(catalog: Known, setting: ModelSetting) -> KnownModel:
    """What a model is; one that was described wrongly, as the catalog has it."""
    try:
        return described(catalog, setting)
    except Misconfigured:
        return catalog.model(setting.model, setting.provider.dialect)


NO_ID = ProviderId(UUID(int=0))


async def _model(caller: Caller, name: ModelName) -> Setting:
    found = [_setting(row) for row in await caller.administration.models.all() if row.name == name]
    if not found:
        raise NotFound("Model not found.")
    return found[0]


def _setting(row: ModelRow) -> Setting:
    return Setting(
        name=row.name,
        provider_id=row.provider_id,
        model=row.model,
        display_name=row.display_name,
        enabled=row.enabled,
        default=row.chosen,
        options=stored_options(row.options).options,
    )


def _check_options(options: ModelOptions) -> None:
    if wrong := wrong_options(options):
        places = [Validation(f"options.{name}", why) for name, why in wrong.items()]
        raise InvalidInput("These options are not valid.", *places)


def _key(row: KeyRow) -> Key:
    return Key(id=row.id, hint=row.hint, created_at=row.created_at, personal=row.personal)


def _known_dialect(name: str) -> None:
    try:
        dialect_named(name)
    except Misconfigured as error:
        raise InvalidInput(str(error), Validation("dialect", "is not known")) from error


def _check_sendable(field: str, wrong: str | None) -> None:
    """What no request can carry is refused where it is set, not told by a chat that meets it."""
    if wrong:
        raise InvalidInput("This cannot be sent in a request.", Validation(field, wrong))


def _check_key(key: str | None) -> None:
    """A key goes into a header, or one of several does, a line to each. A document in braces does not."""
    if key is not None and not key.strip():
        _check_sendable("key", "must not be blank")
    lines = [] if key is None or key.lstrip().startswith("{") else key.splitlines()
    _check_sendable("key", next(filter(None, map(wrong_value, lines)), None))


def _check_reachable(provider: Provider) -> None:
    """What a provider lacks to be reached is said now, not when a chat needs it."""
    _check_sendable("options.headers", wrong_headers(provider.options.headers))
    _check_sendable("options.query", wrong_value(provider.options.query))
    if provider.base_url:
        try:
            split_address(provider.base_url)
        except Misconfigured as error:
            raise InvalidInput(str(error), Validation("base_url", "is not a valid address")) from error
    endpoint(settings_of(provider), provider.dialect)
