"""Giving advice: one call to a model, without tools, streamed into the result of the call that asks for it."""

import logging

import msgspec
from msgspec import structs

from perdure.agent.advice_prompt import advice_messages, advice_system
from perdure.agent.models import Models, ResolvedModel
from perdure.agent.toolset import mode_of
from perdure.config.config import Config
from perdure.config.settings import Advisor as AdvisorSettings
from perdure.config.settings import Experiment
from perdure.core.card import Card
from perdure.core.deltas import Finish, TextDelta
from perdure.core.errors import ProviderFailure
from perdure.core.ids import ModelName
from perdure.core.message import ToolResult
from perdure.core.text import storable
from perdure.core.timing import Clock
from perdure.observe.measures.work import AgentMeasures
from perdure.providers.client import ProviderClient
from perdure.providers.errors.classification import classify
from perdure.providers.errors.retry import may_retry, retry_delay
from perdure.providers.model import cost
from perdure.providers.request import ModelRequest
from perdure.store.pool import Pool
from perdure.store.rows import parts_of
from perdure.store.tables.messages import advice
from perdure.tools.advisor import Advice
from perdure.tools.call import CallContext, Mode, ToolOutput, within

_log = logging.getLogger(__name__)
TRIES = 3
ADVICE_BYTES = 32_000
BLANK = "The question is blank. Ask about something."
NOTHING_SAID = "The advisor said nothing. Go on without it."


class ModelAdvisor:
    """Asks the model that the deployment chose for advice."""

    def __init__(
        self,
        pool: Pool,
        config: Config,
        models: Models,
        client: ProviderClient,
        clock: Clock,
        measures: AgentMeasures,
    ) -> None:
        self._pool = pool
        self._config = config
        self._models = models
        self._client = client
        self._clock = clock
        self._measures = measures

    async def available(self, card: Card) -> bool:
        """Whether this chat may ask: the one answer that both the tool and its guidance follow."""
        settings = await self._config.settings(card.organisation_id)
        on = Experiment.ADVISOR in settings.experiments and settings.advisor.enabled
        if not on or mode_of(card) is not Mode.ROOT:
            return False
        try:
            await self._model(card, settings.advisor, card.model)
        except ProviderFailure as error:
            _log.warning("the advisor is left out: %s", error)
            return False
        return True

    async def advise(self, ctx: CallContext, question: str) -> ToolOutput:
        settings = (await self._config.settings(ctx.organisation_id)).advisor
        card = Card(id=ctx.key.chat_id, owner_id=ctx.asker, organisation_id=ctx.organisation_id, title="")
        if not question.strip():
            return self._said(Advice(type="error", error=BLANK))
        used = await self._uses(ctx)
        left = None if settings.max_uses == 0 else settings.max_uses - used
        try:
            model = await self._model(card, settings, ctx.model_context.model)
            if left is not None and left <= 0:
                return self._said(Advice(type="limit_reached", model=model.name, remaining_uses=0))
            return await self._asked(ctx, model, settings, question, left)
        except ProviderFailure as failure:
            return self._said(Advice(type="error", error=str(failure), remaining_uses=left))

    async def _model(self, card: Card, settings: AdvisorSettings, chats: ModelName | None) -> ResolvedModel:
        """The advisor's model, or the chat's own where that cannot be used."""
        name = settings.model
        if name is not None and await self._config.model(card.organisation_id, name) is None:
            _log.warning("the advisor's model %s cannot be used; the chat's own answers", name)
            name = None
        return await self._models.resolve(card, name or chats, settings.effort)

    async def _uses(self, ctx: CallContext) -> int:
        """How often advice was given in this turn, as its history says."""
        said = await advice(self._pool, ctx.key.chat_id, ctx.model_context.turn)
        results = [part for parts in said for part in parts_of(parts) if isinstance(part, ToolResult)]
        return sum(part.tool == "advisor" and not part.is_error and _is_advice(part.result) for part in results)

    async def _asked(
        self, ctx: CallContext, model: ResolvedModel, settings: AdvisorSettings, question: str, left: int | None
    ) -> ToolOutput:
        most = min(settings.max_output_tokens, model.route.model.max_output or settings.max_output_tokens)
        request = ModelRequest(
            system=advice_system(ctx.model_context),
            messages=advice_messages(ctx.model_context, question),
            settings=structs.replace(model.settings, max_output_tokens=most),
        )
        text, finish = await self._patiently(ctx, model, request)
        usage, price = finish.usage, model.route.model.price
        paid = None if usage is None or price is None else cost(usage, price)
        advice = Advice(
            type="advice" if text else "error",
            model=model.name,
            advice=within(storable(text), ADVICE_BYTES) or None,
            error=None if text else NOTHING_SAID,
            remaining_uses=None if left is None else left - bool(text),
            usage=usage,
        )
        self._measures.paid(usage, paid)
        return self._said(advice, model=model.name, usage=usage, cost=paid)

    async def _patiently(self, ctx: CallContext, model: ResolvedModel, request: ModelRequest) -> tuple[str, Finish]:
        """The answer, shown as it comes. A try that failed is forgotten before the next."""
        attempt = 1
        while True:
            try:
                return await self._streamed(ctx, model, request)
            except ProviderFailure as failure:
                error = classify(failure)
                if attempt >= TRIES or not may_retry(error):
                    raise
            ctx.afresh()
            await self._clock.sleep(retry_delay(attempt, error.retry_after).total_seconds())
            attempt += 1

    async def _streamed(self, ctx: CallContext, model: ResolvedModel, request: ModelRequest) -> tuple[str, Finish]:
        pieces: list[str] = []
        async with self._client.stream(model.route, request) as stream:
            async for batch in stream:
                for delta in batch:
                    if isinstance(delta, TextDelta) and delta.text:
                        pieces.append(delta.text)
                        ctx.progress(delta.text)
            return "".join(pieces).strip(), stream.finish

    def _said(self, advice: Advice, **paid: object) -> ToolOutput:
        self._measures.advised(advice.type)
        return ToolOutput(msgspec.json.encode(advice).decode(), **paid)  # pyright: ignore[reportArgumentType]


def _is_advice(text: str) -> bool:
    try:
        return msgspec.json.decode(text, type=Advice).type == "advice"
    except (msgspec.DecodeError, msgspec.ValidationError):
        return False
