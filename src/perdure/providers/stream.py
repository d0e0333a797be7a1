"""One answer on its way: network pieces in, batches of deltas out, guarded against silence."""

import asyncio
from collections.abc import Callable
from typing import Any, Protocol, Self

import aiohttp

from perdure.core.deltas import AnyDelta, Finish
from perdure.core.timing import AlarmClock
from perdure.providers.dialects.dialect import Encoded
from perdure.providers.errors.classification import ModelCallFailed, classify
from perdure.providers.errors.failures import Failure, SilenceTimeout, StartupTimeout
from perdure.providers.event_streams import EventStreamSplitter, EventTooLong, Splitter
from perdure.providers.listener import Listener
from perdure.providers.observed import ObservedCall
from perdure.providers.redaction import Redaction
from perdure.providers.route import Route
from perdure.providers.service import Framing

TRANSPORT_ERRORS = (Failure, aiohttp.ClientError, OSError, TimeoutError, EventTooLong)


class Body(Protocol):
    """The body of an answer, read as it comes."""

    async def readany(self) -> bytes: ...
    def at_eof(self) -> bool: ...
    def set_exception(self, exc: BaseException, /) -> None: ...


class StreamedResponse(Protocol):
    """An answer whose head is there."""

    headers: Any
    """A mapping, whatever the case of its names."""

    @property
    def status(self) -> int: ...
    @property
    def content_type(self) -> str: ...
    @property
    def content(self) -> Body: ...

    def close(self) -> None: ...


class ModelStream:
    """Batches of deltas, one batch for each network read that held any. Afterwards `finish` is the last word."""

    def __init__(
        self,
        response: StreamedResponse,
        *,
        route: Route,
        encoded: Encoded,
        call: ObservedCall,
        clock: AlarmClock,
        first_deadline: float,
        silence: float,
    ) -> None:
        self.block_hashes = encoded.block_hashes
        self.response = response
        self._provider = route.provider
        self._background = route.dialect.background
        aws = route.endpoint.framing is Framing.AWS_EVENT_STREAM
        splitter = EventStreamSplitter() if aws else Splitter()
        self._listener = Listener(splitter, route.dialect.decoder(route.model))
        self._call = call
        self._overheard = call.listeners
        # Amazon's frames say how long they are: nothing may be taken out. What proves who asks there is no key.
        self._redaction = Redaction(() if aws else call.secrets)
        self._clock = clock
        self._silence = silence
        self._deadline = first_deadline
        self._reading = False
        self.named: Callable[[str], None] | None = None
        """Told the id of the response once it is known, before anything of its content is."""
        self._guard = clock.call_later(first_deadline - clock.monotonic(), self._look)

    @property
    def done(self) -> bool:
        return self._listener.done

    @property
    def finish(self) -> Finish:
        """The provider's last word. There is one once the stream is exhausted."""
        if self._listener.finish is None:
            raise RuntimeError("the answer is not complete")
        return self._listener.finish

    @property
    def position(self) -> tuple[str, int] | None:
        """Where a background response can be resumed: its id, and the number of the last event seen."""
        return None if self._background is None else self._background.position(self._listener.decoder)

    def __aiter__(self) -> Self:
        return self

    async def __anext__(self) -> list[AnyDelta]:
        decoder, read = self._listener.decoder, self.response.content.readany
        try:
            while not decoder.done:
                self._reading = True
                piece = await read()
                self._reading = False
                if batch := self._heard(piece):
                    self._call.began()
                    return batch
        except TRANSPORT_ERRORS as error:
            raise self._failure(error) from error
        except asyncio.CancelledError as error:
            if cancelled_from_above():
                raise
            raise self._failure(error) from error
        raise StopAsyncIteration

    def leave(self) -> None:
        """Stop guarding. The connection is the client's to release or to close."""
        self._guard.cancel()
        if self._listener.done and self._listener.finish is not None:
            self._call.finished(self._listener.finish)
        else:
            self._call.left()

    def _failure(self, error: BaseException) -> ModelCallFailed:
        classified = classify(error, self._provider)
        self._call.failed(classified)
        return ModelCallFailed(classified)

    def _heard(self, piece: bytes) -> list[AnyDelta]:
        """What one network read says. An empty one is the end of the body."""
        if not piece:
            kept = self._redaction.close()
            return [*(self._fed(kept) if kept else ()), *self._listener.close()]
        told = self._redaction.feed(piece)
        return self._fed(told) if told else []

    def _fed(self, piece: bytes) -> list[AnyDelta]:
        for overhear in self._overheard:
            overhear(piece)
        heard = self._listener.events
        batch = self._listener.feed(piece)
        if self.named is not None and (position := self.position) is not None:
            self.named(position[0])
            self.named = None
        if self._listener.events > heard:
            self._deadline = self._clock.monotonic() + self._silence
        return batch

    def _look(self) -> None:
        """Break a read that waits past its deadline. A reader who is busy elsewhere is not silence."""
        left = self._deadline - self._clock.monotonic()
        if left <= 0 and self._reading:
            self.response.content.set_exception(SilenceTimeout() if self._listener.events else StartupTimeout())
            self.response.close()
        else:
            self._guard = self._clock.call_later(left if left > 0 else self._silence, self._look)


def cancelled_from_above() -> bool:
    """Whether somebody asked this task to stop. If not, the transport was torn down beneath it."""
    task = asyncio.current_task()
    return task is None or task.cancelling() > 0
