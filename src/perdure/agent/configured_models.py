"""Models as the configuration has them: from a name to a route, without a query once the cache is warm."""

from datetime import timedelta

from msgspec import structs

from perdure.agent.models import DEFAULT_THRESHOLD, ResolvedModel
from perdure.config.config import Config, Personal
from perdure.config.models import ModelOptions, ModelSetting, Provider
from perdure.core.card import Card
from perdure.core.errors import Misconfigured, ProviderFailure
from perdure.core.failure import ChatError, ErrorKind
from perdure.core.ids import ModelName, ProviderId
from perdure.core.message import Effort
from perdure.core.tasks import BoundedMap
from perdure.core.timing import SILENCE_TIMEOUT, STARTUP_TIMEOUT
from perdure.providers.catalog import Catalog
from perdure.providers.credentials import key_for
from perdure.providers.dialects.registry import dialect_named
from perdure.providers.errors.classification import ModelCallFailed, classify
from perdure.providers.errors.failures import Failure, ProviderDisabled
from perdure.providers.model import Model, Price, Thinking
from perdure.providers.request import ModelSettings, WebSearch, clamped
from perdure.providers.route import Route
from perdure.providers.service import ProviderSettings, Service, credentials, endpoint

NO_MODEL = ChatError(
    "No model is set up. Add a provider and a model in the settings, then try again.", ErrorKind.CONFIG
)

KEPT_ROUTES = 256


class ConfiguredModels:
    """Resolves names by the organisation's configuration and the own keys of whoever asks."""

    def __init__(self, config: Config, catalog: Catalog) -> None:
        self._config = config
        self._catalog = catalog
        self._routes = BoundedMap[tuple[ProviderId, ModelName, str | None], tuple[ModelSetting, Model, Route]](
            KEPT_ROUTES
        )
        """How models were reached last. Good for as long as the configuration at hand is the same."""

    async def resolve(self, card: Card, name: ModelName | None, effort: Effort | None) -> ResolvedModel:
        setting, notice = await self._setting(card, name)
        model, route = await self._reached(card, setting)
        personal = await self._config.personal(card.asker)
        return ResolvedModel(
            name=setting.name,
            route=route,
            settings=_settings(setting.options, model, effort),
            web_search=await self._web_search(card),
            threshold=_threshold(setting, personal),
            fallbacks=setting.options.fallbacks,
            notice=notice,
        )

    async def _reached(self, card: Card, setting: ModelSetting) -> tuple[Model, Route]:
        """The model and the way to it. What an admin has to mend is said in words that they can act on."""
        provider = setting.provider
        try:
            secret = await self._config.key(provider.id, organisation_id=card.organisation_id, user_id=card.asker)
            return self._way(setting, key_for(secret, str(card.id)))
        except Misconfigured as error:
            raise ProviderFailure(ChatError(str(error), ErrorKind.CONFIG, provider=provider.name)) from error

    def _way(self, setting: ModelSetting, key: str | None) -> tuple[Model, Route]:
        name = setting.provider.id, setting.name, key
        known = self._routes.get(name)
        if known is None or known[0] is not setting:
            model = described(self._catalog, setting)
            known = setting, model, route_to(setting.provider, model, key)
            self._routes.keep(name, known)
        return known[1:]

    async def _web_search(self, card: Card) -> WebSearch | None:
        """The provider's own search of the web, where the chat has it on, within what the organisation allows."""
        if not card.settings.web_search:
            return None
        bounds = (await self._config.settings(card.organisation_id)).web_search
        return WebSearch(bounds.allowed_domains, bounds.blocked_domains, bounds.max_uses)

    async def _setting(self, card: Card, name: ModelName | None) -> tuple[ModelSetting, str | None]:
        """The model that was asked for, or the default with a word about why."""
        found = await self._config.model(card.organisation_id, name)
        if found is not None:
            return found, None
        default = None if name is None else await self._config.model(card.organisation_id, None)
        if default is None:
            raise await self._nothing_usable(card, name)
        return default, f"{name} is not available any more; {default.name} answers instead."

    async def _nothing_usable(self, card: Card, name: ModelName | None) -> ProviderFailure:
        """Why no model can be had: the one that was asked for is switched off, or there is none at all."""
        known = (await self._config.of(card.organisation_id)).models.get(name) if name is not None else None
        if known is None or known.provider.enabled:
            return ProviderFailure(NO_MODEL)
        return ModelCallFailed(classify(ProviderDisabled("switched off"), known.provider.name))


def described(catalog: Catalog, setting: ModelSetting) -> Model:
    """What the catalog knows of the model, with what the admin said about it."""
    options = setting.options
    known = catalog.model(setting.model, setting.provider.dialect)
    said = {
        "context_window": options.context_window,
        "thinking": _thinking(options.thinking) if options.thinking else None,
        "min_effort": options.min_effort,
        "max_effort": options.max_effort,
        "images": options.images,
        "documents": options.documents,
        "tools": options.tools,
        "computer": options.computer,
        "price": Price(**structs.asdict(options.price)) if options.price else None,
    }
    return structs.replace(known, **{field: value for field, value in said.items() if value is not None})


def wrong_options(options: ModelOptions) -> dict[str, str]:
    """The options that make no sense together, or that no model has, each with the reason."""
    wrong: dict[str, str] = {}
    if options.thinking is not None and options.thinking not in {*Thinking}:
        wrong["thinking"] = f"is one of: {', '.join(Thinking)}"
    scale, least, most = list(Effort), options.min_effort, options.max_effort
    if least is not None and most is not None and scale.index(least) > scale.index(most):
        wrong["min_effort"] = f"is above max_effort, which is {most}"
    return wrong


def _thinking(said: str) -> Thinking:
    try:
        return Thinking(said)
    except ValueError:
        raise Misconfigured(f"A model thinks in one of these ways: {', '.join(Thinking)}; not {said!r}.") from None


def settings_of(provider: Provider) -> ProviderSettings:
    """A provider in the words of those who reach it."""
    known = {service.value for service in Service}
    vendor = provider.options.vendor
    return ProviderSettings(
        service=Service(vendor) if vendor in known else Service.COMPATIBLE,
        name=provider.name,
        base_url=provider.base_url or None,
        headers=provider.options.headers,
        query=provider.options.query,
        region=provider.options.region,
        project=provider.options.project,
        api_version=provider.options.api_version,
        replays_reasoning=provider.options.replays_reasoning,
        body=provider.options.body,
    )


def route_to(provider: Provider, model: Model, key: str | None) -> Route:
    """How a model of the provider is reached with a key. Raises ModelCallFailed where it cannot be."""
    settings = settings_of(provider)
    try:
        authorized = credentials(settings, provider.dialect, key)
    except Failure as error:
        raise ModelCallFailed(classify(error, provider.name)) from error
    return Route(
        provider=provider.name,
        dialect=dialect_named(provider.dialect),
        endpoint=endpoint(settings, provider.dialect),
        credentials=authorized,
        model=model,
    )


def _settings(options: ModelOptions, model: Model, effort: Effort | None) -> ModelSettings:
    wanted = effort or options.effort
    return ModelSettings(
        max_output_tokens=min(options.max_output_tokens, model.max_output or options.max_output_tokens),
        temperature=options.temperature,
        top_p=options.top_p,
        top_k=options.top_k,
        presence_penalty=options.presence_penalty,
        frequency_penalty=options.frequency_penalty,
        effort=None if wanted is None else clamped(wanted, model),
        startup_timeout=_seconds(options.startup_timeout_s, STARTUP_TIMEOUT),
        silence_timeout=_seconds(options.silence_timeout_s, SILENCE_TIMEOUT),
        options=options.provider_options,
    )


def _seconds(said: float | None, default: timedelta) -> timedelta:
    return default if said is None else timedelta(seconds=said)


def _threshold(setting: ModelSetting, personal: Personal) -> float:
    percent = personal.settings.compaction_thresholds.get(setting.name) or setting.options.compaction_threshold
    return DEFAULT_THRESHOLD if percent is None else percent / 100
