"""Trying a provider: one small question to a real model, and what came of it."""

from dataclasses import dataclass
from uuid import uuid4

from perdure.access.actor import Actor
from perdure.agent.models import Models
from perdure.api.wire.models import Tested
from perdure.core.card import Card
from perdure.core.clock import Clock
from perdure.core.errors import ProviderFailure
from perdure.core.ids import ChatId, ModelName
from perdure.core.message import NewMessage, Role
from perdure.core.parts import Text
from perdure.observe.context import concerning
from perdure.providers.client import ProviderClient
from perdure.providers.request import ModelRequest, ModelSettings

_QUESTION = NewMessage(role=Role.USER, parts=(Text("Answer with the word: ready"),))
_SETTINGS = ModelSettings(max_output_tokens=1_024)


@dataclass(frozen=True, slots=True)
class Probe:
    """Asks models whether they are there."""

    models: Models
    client: ProviderClient
    clock: Clock

    async def try_model(self, actor: Actor, name: ModelName) -> Tested:
        card = Card(id=ChatId(uuid4()), owner_id=actor.user_id, organisation_id=actor.organisation_id, title="A test")
        started = self.clock.monotonic()
        try:
            resolved = await self.models.resolve(card, name, None)
            with concerning(purpose="test"):
                await self.client.complete(resolved.route, ModelRequest(messages=(_QUESTION,), settings=_SETTINGS))
        except ProviderFailure as failure:
            return Tested(ok=False, message=failure.error.message, latency_ms=self._since(started))
        return Tested(ok=True, message=f"{name} answers.", latency_ms=self._since(started))

    def _since(self, started: float) -> int:
        return round((self.clock.monotonic() - started) * 1_000)
