"""Handing a replica's chats over: steps come to their end within limits, what is left goes to others as it stands."""

import asyncio
import logging
from collections.abc import Collection, Iterable
from dataclasses import dataclass
from datetime import timedelta

from perdure.core.errors import ChatNotFound, Refused, Unavailable
from perdure.core.timing import DRAIN, DRAIN_ONCE_CALL, DRAIN_RELEASED
from perdure.machine.transitions import Abandon
from perdure.worker.runner import Runner
from perdure.worker.services import RunnerServices

_log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Limits:
    """How long a shutdown waits."""

    step: timedelta = DRAIN
    """For answers and calls: whoever takes over begins them again or finds them running."""
    once: timedelta = DRAIN_ONCE_CALL
    """For calls that must not be repeated: somebody would have to be asked what became of them."""


@dataclass(frozen=True, slots=True)
class Driven:
    """A runner and the task it runs in."""

    runner: Runner
    task: "asyncio.Task[None]"


async def drain(services: RunnerServices, driven: Collection[Driven], limits: Limits) -> None:
    """Let every chat go. Its state stays as it is, and another replica goes on."""
    for one in driven:
        one.runner.leave()
    await _ended(driven, limits.step)
    held = [one for one in driven if one.runner.once_calls.holding]
    await _hand_over(services, [one for one in driven if one not in held])
    for one in held:
        one.runner.once_calls.closing = True
    await _freed(held, limits.once - limits.step)
    await _hand_over(services, held)


async def _ended(driven: Iterable[Driven], limit: timedelta) -> None:
    if tasks := [one.task for one in driven]:
        await asyncio.wait(tasks, timeout=limit.total_seconds())


async def _freed(held: Iterable[Driven], limit: timedelta) -> None:
    """Wait for the calls that must not be repeated."""
    if waits := [asyncio.ensure_future(one.runner.once_calls.over()) for one in held]:
        _, late = await asyncio.wait(waits, timeout=max(0.0, limit.total_seconds()))
        for wait in late:
            wait.cancel()


async def _hand_over(services: RunnerServices, driven: Collection[Driven]) -> None:
    """What is in flight is stored before anybody can take the chats."""
    for one in driven:
        one.runner.release()
    if driven:
        await _gone([one.task for one in driven])
        await services.segments.flush()
        await asyncio.gather(*(_abandon(services, one.runner) for one in driven))


async def _gone(tasks: Collection["asyncio.Task[None]"]) -> None:
    """Wait for runners to stop; one that waits for a database that stays away is not waited for."""
    _, late = await asyncio.wait(tasks, timeout=(DRAIN_RELEASED - DRAIN).total_seconds())
    for task in late:
        task.cancel()
    if late:
        await asyncio.wait(late)


async def _abandon(services: RunnerServices, runner: Runner) -> None:
    try:
        chat = runner.chat
        if chat.runner_id == runner.owner.runner_id:
            await services.machine.change_by(
                chat.id, lambda row: (Abandon(),) if row.runner_id == runner.owner.runner_id else ()
            )
    except (Refused, ChatNotFound, Unavailable) as error:
        _log.warning("chat %s could not be handed over: %s", runner.chat.id, error)
