"""All hooks of an organisation at one point, asked in their order; each sees what those before it made of the input."""

import logging
import time
from typing import Any
from uuid import NAMESPACE_URL, UUID, uuid4, uuid5

from msgspec import structs

from perdure.access.keyring import Keyring
from perdure.config.config import Config
from perdure.config.hooks import HOOK_PURPOSE, Hook, HookEvent
from perdure.config.settings import Experiment
from perdure.core.clock import Clock
from perdure.core.errors import DatabaseFault, HookDispatchFailed, Unavailable
from perdure.core.ids import OrganisationId
from perdure.core.tasks import BackgroundTasks
from perdure.core.timing import HOOK_LOG_KEPT, HOOK_LOG_SWEEP
from perdure.observe.measures.hooks import HookMeasures
from perdure.store.pool import Pool
from perdure.store.tables import hooks
from perdure.store.tables.hooks import NewDelivery
from perdure.tools.hooks.post import Heard, HookSilent, Post
from perdure.tools.hooks.speech import CONTEXT_CHARACTERS, Answer, Decision, Question, Subject, Verdict

DENIED = "A hook refused this."
_log = logging.getLogger(__name__)


class Hooks:
    """Asks, and keeps a log of what came of it. An organisation without hooks costs nothing."""

    def __init__(
        self, pool: Pool, config: Config, keyring: Keyring, clock: Clock, measures: HookMeasures, post: Post
    ) -> None:
        self._pool = pool
        self._config = config
        self._keyring = keyring
        self._clock = clock
        self._measures = measures
        self._post = post
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
            answer = await self._one(hook, _question(event, subject, {**payload, **_rewritten(verdict)}, hook, key))
            verdict = _after(verdict, answer)
            if verdict.denied is not None:
                break
        return verdict

    async def run(self) -> None:
        """Throw away old lines of the log, until cancelled."""
        try:
            while True:
                try:
                    await hooks.purge(self._pool, HOOK_LOG_KEPT)
                except (Unavailable, DatabaseFault):
                    _log.debug("the database is away; the log of hooks is cleaned later")
                await self._clock.sleep(HOOK_LOG_SWEEP.total_seconds())
        finally:
            await self.close()

    async def close(self) -> None:
        """Once everything that was asked is in the log, ask nobody any more."""
        await self.settled()
        await self._post.close()

    async def settled(self) -> None:
        """Once everything that was asked is in the log."""
        await self._logging.settled()

    async def _one(self, hook: Hook, question: Question) -> Answer:
        begun = time.monotonic()
        secret = self._keyring.open(hook.sealed, HOOK_PURPOSE)
        try:
            heard = await self._post.ask(hook.options, secret, question)
        except HookSilent as silent:
            self._note(hook, question, "failed", begun, silent)
            if hook.options.fail_open:
                return Answer()
            raise HookDispatchFailed(f"The hook {hook.title} could not be asked: {silent}.") from silent
        self._note(hook, question, _outcome(heard.answer), begun, heard)
        return heard.answer

    def _note(self, hook: Hook, question: Question, outcome: str, begun: float, told: Heard | HookSilent) -> None:
        took = time.monotonic() - begun
        self._measures.asked(question.event.value, outcome, took)
        detail = str(told) if isinstance(told, HookSilent) else ""
        delivery = NewDelivery(
            hook_id=hook.id,
            dispatch_id=question.dispatch_id,
            event=question.event.value,
            chat_id=question.chat_id,
            outcome=outcome,
            status=told.status,
            attempts=told.attempts,
            duration_ms=round(took * 1000),
            detail=detail,
        )
        self._logging.start(self._write(delivery), "writing the log of hooks")

    async def _write(self, delivery: NewDelivery) -> None:
        try:
            await hooks.delivered(self._pool, delivery)
        except (Unavailable, DatabaseFault) as error:
            _log.warning("a line of the log of hooks is lost: %s", error)


def _question(event: HookEvent, subject: Subject, payload: dict[str, Any], hook: Hook, key: str) -> Question:
    return Question(
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


def _after(verdict: Verdict, answer: Answer) -> Verdict:
    """What was said so far, and this."""
    context, message = answer.model_context.strip()[:CONTEXT_CHARACTERS], answer.user_message.strip()
    denied = answer.decision is Decision.DENY
    return structs.replace(
        verdict,
        denied=(message or context or DENIED) if denied else None,
        input=verdict.input if answer.input is None else answer.input,
        contexts=(*verdict.contexts, context) if context else verdict.contexts,
        messages=(*verdict.messages, message[:CONTEXT_CHARACTERS]) if message else verdict.messages,
    )


def _outcome(answer: Answer) -> str:
    if answer.decision is Decision.DENY:
        return "denied"
    if answer.input is not None:
        return "rewritten"
    return "added" if answer.model_context or answer.user_message else "allowed"
