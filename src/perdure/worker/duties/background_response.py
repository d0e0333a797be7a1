"""Answers that go on at the provider while nobody listens: found again after a crash, given up after a stop."""

import asyncio
import logging
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager

import aiohttp

from perdure.agent.generate import NEW, Given
from perdure.agent.kept_responses import BackgroundResponse
from perdure.agent.prepare import Prepared
from perdure.core.errors import ProviderFailure, Unavailable
from perdure.core.failure import ErrorKind
from perdure.core.tasks import BackgroundTasks
from perdure.providers.errors.classification import classify
from perdure.worker.owned_chat import OwnedChat

_log = logging.getLogger(__name__)
# The connection failed, not the answer: it can be listened to again.
_CUT = frozenset({ErrorKind.TIMEOUT, ErrorKind.STARTUP_TIMEOUT, ErrorKind.STREAM_SILENCE_TIMEOUT})


class ResponseGone(Exception):
    """The answer that was begun cannot be had any more. The next attempt asks anew."""


@asynccontextmanager
async def background_response(owned: OwnedChat, prepared: Prepared) -> AsyncGenerator[Given]:
    """What to listen to, for a model whose answers outlive us; a new answer for every other."""
    model = prepared.model
    kept = owned.services.background_responses.of(owned.chat, model.route, model.settings)
    if kept is None:
        yield NEW
        return
    listener = _Listener(kept, await kept.find())
    stopped = owned.moved_on_from(owned.chat)
    try:
        yield Given(listener.begun, listener.named)
    except ProviderFailure as failure:
        if classify(failure).kind in _CUT:
            raise
        await kept.drop()
        if listener.begun is not None:
            raise ResponseGone from failure
        raise
    except asyncio.CancelledError:
        if stopped() and listener.name is not None:
            await asyncio.shield(_give_up(owned, prepared, listener.name))
        raise
    finally:
        await listener.noted()


class _Listener:
    """Writes down which response is listened to."""

    def __init__(self, kept: BackgroundResponse, begun: str | None) -> None:
        self.begun = begun
        self.name = begun
        self._kept = kept
        self._writes = BackgroundTasks(_log)

    def named(self, response_id: str) -> None:
        if response_id != self.name:
            self.name = response_id
            self._writes.start(self._put(response_id), "writing a response down")

    async def _put(self, response_id: str) -> None:
        try:
            await self._kept.put(response_id)
        except Unavailable as error:
            _log.warning("a crash would repeat the answer %s: %s", response_id, error)

    async def noted(self) -> None:
        await self._writes.settled()


async def _give_up(owned: OwnedChat, prepared: Prepared, response_id: str) -> None:
    try:
        await owned.services.client.give_up(prepared.model.route, response_id)
    except (aiohttp.ClientError, OSError, ProviderFailure) as error:
        _log.info("the provider was not told to stop %s: %s", response_id, error)
