"""Trying a provider: one small question to a real model, and what came of it."""

import asyncio
from dataclasses import dataclass
from datetime import timedelta
from http import HTTPStatus
from uuid import uuid4

from perdure.access.actor import Actor
from perdure.agent.configured_models import described, route_to
from perdure.api.wire.models import Offered, Tested
from perdure.config.config import Config
from perdure.config.models import ModelSetting, Provider
from perdure.core.errors import ProviderFailure
from perdure.core.failure import ChatError
from perdure.core.message import NewMessage, Role, Text
from perdure.core.timing import PROBE_PATIENCE, Clock
from perdure.observe.logs import concerning
from perdure.providers.catalog import Catalog, listed
from perdure.providers.client import ProviderClient
from perdure.providers.credentials import key_for
from perdure.providers.model import Model
from perdure.providers.request import ModelRequest, ModelSettings
from perdure.providers.route import Route
from perdure.providers.service import Service

_QUESTION = NewMessage(role=Role.USER, parts=(Text("Answer with the word: ready"),))
_SETTINGS = ModelSettings(max_output_tokens=1_024)
_LISTLESS = (Service.BEDROCK, Service.VERTEX)
"""Services that say nowhere under their address which models they have."""
_OWN_NAMES = (Service.AZURE,)
"""Services that list models, but serve them under names that their admin gives."""


@dataclass(frozen=True, slots=True)
class Probe:
    """Asks providers whether they are there, and their models whether they answer."""

    config: Config
    catalog: Catalog
    client: ProviderClient
    clock: Clock
    patience: timedelta = PROBE_PATIENCE

    async def try_provider(self, actor: Actor, provider: Provider, setting: ModelSetting | None) -> Tested:
        """Ask the model, or where none is set up yet the smallest that the provider itself offers."""
        started = self.clock.monotonic()
        try:
            with concerning(purpose="test"):
                async with asyncio.timeout(self.patience.total_seconds()):
                    ok, message = await self._tried(actor, provider, setting)
        except TimeoutError:
            ok, message = False, self._late(provider)
        except ProviderFailure as failure:
            ok, message = False, _words(failure.error)
        return Tested(ok=ok, message=message, latency_ms=round((self.clock.monotonic() - started) * 1_000))

    async def offered(self, actor: Actor, provider: Provider) -> Offered:
        """What the provider lists; or in its place why it does not."""
        if provider.options.vendor in _LISTLESS:
            return Offered(items=(), message=f"{provider.name} does not say which models it has.")
        try:
            async with asyncio.timeout(self.patience.total_seconds()):
                return Offered(items=await self._listed(actor, provider))
        except TimeoutError:
            return Offered(items=(), message=self._late(provider))
        except ProviderFailure as failure:
            return Offered(items=(), message=_words(failure.error))

    def _late(self, provider: Provider) -> str:
        return f"{provider.name} did not answer within {self.patience.total_seconds():g} s."

    async def _tried(self, actor: Actor, provider: Provider, setting: ModelSetting | None) -> tuple[bool, str]:
        if setting is not None:
            return await self._asked(await self._route(actor, provider, described(self.catalog, setting)), setting.name)
        if provider.options.vendor in _LISTLESS:
            return False, f"{provider.name} does not say which models it has. Add a model, then test it."
        names = await self._listed(actor, provider)
        if not names:
            return False, f"{provider.name} answers, but offers no models yet."
        chosen = self._smallest(provider, names)
        if chosen is None:
            return True, f"{provider.name} answers and offers {len(names)} models. Add one, then test it."
        model = self.catalog.model(chosen, provider.dialect)
        return await self._asked(await self._route(actor, provider, model), chosen)

    async def _asked(self, route: Route, name: str) -> tuple[bool, str]:
        await self.client.complete(route, ModelRequest(messages=(_QUESTION,), settings=_SETTINGS))
        return True, f"{name} answers."

    async def _listed(self, actor: Actor, provider: Provider) -> tuple[str, ...]:
        route = await self._route(actor, provider, Model(id="", dialect=provider.dialect))
        try:
            return await listed(self.client, route)
        except ProviderFailure as failure:
            if failure.error.status_code != HTTPStatus.NOT_FOUND:
                raise
            lost = f"{route.provider} has no list of models at this address. Check it, or add a model and test that."
            raise ProviderFailure(ChatError(lost)) from failure

    def _smallest(self, provider: Provider, names: tuple[str, ...]) -> str | None:
        """The cheapest known model on offer. Of strangers, only the first of a merely compatible server."""
        if provider.options.vendor in _OWN_NAMES:
            return None
        known = [model for name in names if (model := self.catalog.find(name)) is not None and model.price is not None]
        if known:
            return min(known, key=_price).id
        return None if provider.options.vendor in set(Service) else names[0]

    async def _route(self, actor: Actor, provider: Provider, model: Model) -> Route:
        key = await self.config.key(provider.id, organisation_id=actor.organisation_id, user_id=actor.user_id)
        return route_to(provider, model, key_for(key, str(uuid4())))


def _price(model: Model) -> int:
    return 0 if model.price is None else model.price.input + model.price.output


def _words(error: ChatError) -> str:
    """What is wrong; and where the provider itself spoke, in its words."""
    spoke = error.detail and error.status_code is not None
    return f"{error.message} It said: {error.detail}" if spoke else error.message
