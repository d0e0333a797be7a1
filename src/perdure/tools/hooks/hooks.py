"""All hooks of an organisation at one point, asked in their order, and what they make of something that is said."""

import logging
import time
from datetime import timedelta
from typing import Any
from uuid import NAMESPACE_URL, UUID, uuid4, uuid5

from msgspec import structs

from perdure.access.keyring import Keyring
from perdure.config.config import Config
from perdure.config.hooks import HOOK_PURPOSE, Hook, HookEvent
from perdure.config.settings import Experiment
from perdure.core.errors import DatabaseFault, HookDenied, HookDispatchFailed, Unavailable
from perdure.core.ids import OrganisationId
from perdure.core.message import AnyPart, File, NoticePart, Text
from perdure.core.tasks import BackgroundTasks, every
from perdure.core.timing import Clock
from perdure.observe.measures.work import HookMeasures
from perdure.store.pool import Pool
from perdure.store.tables import hooks
from perdure.store.tables.hooks import NewDelivery
from perdure.tools.hooks.client import Delivery, DeliveryFailed, HookClient
from perdure.tools.hooks.messages import CONTEXT_CHARACTERS, Decision, HookRequest, HookResponse, Subject, Verdict

HOOK_LOG_KEPT = timedelta(days=7)
HOOK_LOG_SWEEP = timedelta(hours=1)
DENIED = "A hook denied this."
_log = logging.getLogger(__name__)


class Hooks:
    """Asks, and keeps a log of what came of it. An organisation without hooks costs nothing."""

    def __init__(
        self, pool: Pool, config: Config, keyring: Keyring, clock: Clock, measures: HookMeasures, client: HookClient
    ) -> None:
        self._pool = pool
        self._config = config
        self._keyring = keyring
        self._clock = clock
        self._measures = measures
        self._client = client
        self._logging = BackgroundTasks(_log)

    async def listening(self, organisation_id: OrganisationId, event: HookEvent) -> tuple[Hook, ...]:
        """The hooks that want to be asked at a point."""
        snapshot = await self._config.of(organisation_id)
        if not snapshot.hooks or Experiment.HOOKS not in snapshot.settings.experiments:
            return ()
        return tuple(hook for hook in snapshot.hooks if hook.options.enabled and event in hook.options.events)

    async def ask(
        self, event: HookEvent, subject: Subject, payload: dict[str, Any], *, tool: str = "", key: str = ""
    ) -> Verdict:
        """What the hooks say. `key` names the occasion, so that it has one dispatch id however often it is asked.

        Raises HookDispatchFailed where one that must be heard cannot be.
        """
        verdict = Verdict()
        for hook in await self.listening(subject.organisation_id, event):
            if tool and not hook.about(tool):
                continue
            response = await self._one(hook, _request(event, subject, {**payload, **_rewritten(verdict)}, hook, key))
            verdict = _after(verdict, response)
            if verdict.denied is not None:
                break
        return verdict

    async def run(self) -> None:
        """Throw away old lines of the log, until cancelled."""
        try:
            await self._purge()
            await every(HOOK_LOG_SWEEP, self._purge, self._clock)
        finally:
            await self.close()

    async def _purge(self) -> None:
        try:
            await hooks.purge(self._pool, HOOK_LOG_KEPT)
        except (Unavailable, DatabaseFault):
            _log.debug("the database is away; the log of hooks is cleaned later")

    async def close(self) -> None:
        """Once everything that was asked is in the log, ask nobody any more."""
        await self.settled()
        await self._client.close()

    async def settled(self) -> None:
        """Once everything that was asked is in the log."""
        await self._logging.settled()

    async def _one(self, hook: Hook, request: HookRequest) -> HookResponse:
        begun = time.monotonic()
        secret = self._keyring.open(hook.sealed, HOOK_PURPOSE)
        try:
            delivery = await self._client.ask(hook.options, secret, request)
        except DeliveryFailed as failed:
            self._note(hook, request, "failed", begun, failed)
            if hook.options.fail_open:
                return HookResponse()
            raise HookDispatchFailed(f"The hook {hook.title} could not be asked: {failed}.") from failed
        self._note(hook, request, _outcome(delivery.response), begun, delivery)
        return delivery.response

    def _note(
        self, hook: Hook, request: HookRequest, outcome: str, begun: float, told: Delivery | DeliveryFailed
    ) -> None:
        took = time.monotonic() - begun
        self._measures.asked(request.event.value, outcome, took)
        detail = str(told) if isinstance(told, DeliveryFailed) else ""
        entry = NewDelivery(
            hook_id=hook.id,
            dispatch_id=request.dispatch_id,
            event=request.event.value,
            chat_id=request.chat_id,
            outcome=outcome,
            status=told.status,
            attempts=told.attempts,
            duration_ms=round(took * 1000),
            detail=detail,
        )
        self._logging.start(self._write(entry), "writing the log of hooks")

    async def _write(self, entry: NewDelivery) -> None:
        try:
            await hooks.delivered(self._pool, entry)
        except (Unavailable, DatabaseFault) as error:
            _log.warning("a line of the log of hooks is lost: %s", error)


def _request(event: HookEvent, subject: Subject, payload: dict[str, Any], hook: Hook, key: str) -> HookRequest:
    return HookRequest(
        event=event,
        dispatch_id=uuid5(NAMESPACE_URL, f"hook:{hook.id}:{event.value}:{key}") if key else _fresh(),
        chat_id=subject.chat_id,
        turn=subject.turn,
        user_id=subject.owner_id,
        payload=payload,
    )


def _fresh() -> UUID:
    return uuid4()


def _rewritten(verdict: Verdict) -> dict[str, Any]:
    return {} if verdict.input is None else {"input": verdict.input}


def _after(verdict: Verdict, response: HookResponse) -> Verdict:
    """What was said so far, and this."""
    context, message = response.model_context.strip()[:CONTEXT_CHARACTERS], response.user_message.strip()
    denied = response.decision is Decision.DENY
    return structs.replace(
        verdict,
        denied=(message or context or DENIED) if denied else None,
        input=verdict.input if response.input is None else response.input,
        contexts=(*verdict.contexts, context) if context else verdict.contexts,
        messages=(*verdict.messages, message[:CONTEXT_CHARACTERS]) if message else verdict.messages,
    )


def _outcome(response: HookResponse) -> str:
    if response.decision is Decision.DENY:
        return "denied"
    if response.input is not None:
        return "rewritten"
    return "added" if response.model_context or response.user_message else "allowed"


async def submitted(
    hooks: Hooks | None, subject: Subject, parts: tuple[AnyPart, ...], *, begins: str = ""
) -> tuple[AnyPart, ...]:
    """The parts as hooks leave them. `begins` says how a new chat comes about.

    Raises HookDenied where one says no.
    """
    if hooks is None:
        return parts
    added: list[AnyPart] = []
    if begins:
        begun = await hooks.ask(HookEvent.SESSION_START, subject, {"source": begins})
        _refuse(begun)
        added += _added(begun)
    files = [part.name for part in parts if isinstance(part, File)]
    verdict = await hooks.ask(HookEvent.USER_PROMPT_SUBMIT, subject, {"input": _said(parts), "files": files})
    _refuse(verdict)
    return (*_rewritten_parts(parts, verdict), *added, *_added(verdict))


def _refuse(verdict: Verdict) -> None:
    if verdict.denied is not None:
        raise HookDenied(verdict.denied)


def _said(parts: tuple[AnyPart, ...]) -> str:
    return "\n\n".join(part.text for part in parts if isinstance(part, Text))


def _rewritten_parts(parts: tuple[AnyPart, ...], verdict: Verdict) -> tuple[AnyPart, ...]:
    if verdict.input is None:
        return parts
    if not isinstance(verdict.input, str) or not verdict.input.strip():
        raise HookDispatchFailed("A hook returned a message that is not text.")
    return (Text(verdict.input), *(part for part in parts if not isinstance(part, Text)))


def _added(verdict: Verdict) -> list[AnyPart]:
    contexts: list[AnyPart] = [Text(text, model_only=True) for text in verdict.contexts]
    return [*contexts, *(NoticePart("hook", text) for text in verdict.messages)]
