"""One answer on its way: network pieces in, batches of deltas out, guarded against silence."""

import asyncio
from typing import Self

import aiohttp

from perdure.core.clock import Clock
from perdure.core.deltas import AnyDelta, Finish
from perdure.providers.aws_event_stream import EventStreamSplitter
from perdure.providers.dialects.dialect import Encoded
from perdure.providers.dialects.openai_responses.decode import ResponsesDecoder
from perdure.providers.endpoint import Framing
from perdure.providers.errors.classification import ModelCallFailed, classify
from perdure.providers.errors.failures import Failure, Garbled, Malformed, SilenceTimeout, StartupTimeout
from perdure.providers.route import Route
from perdure.providers.sse import EventTooLong, Splitter

TRANSPORT_ERRORS = (Failure, aiohttp.ClientError, OSError, TimeoutError, EventTooLong)


class ModelStream:
    """Batches of deltas, one batch for each network read that held any. Afterwards `finish` is the last word."""

    def __init__(
        self,
        response: aiohttp.ClientResponse,
        *,
        route: Route,
        encoded: Encoded,
        clock: Clock,
        first_deadline: float,
        silence: float,
    ) -> None:
        self.block_hashes = encoded.block_hashes
        self.response = response
        self._provider = route.provider
        self._decoder = route.dialect.decoder(route.model)
        aws = route.endpoint.framing is Framing.AWS_EVENT_STREAM
        self._splitter = EventStreamSplitter() if aws else Splitter()
        self._clock = clock
        self._silence = silence
        self._deadline = first_deadline
        self._begun = False
        self._reading = False
        self._finish: Finish | None = None
        self._guard = asyncio.create_task(self._watch())

    @property
    def done(self) -> bool:
        return self._decoder.done

    @property
    def finish(self) -> Finish:
        """The provider's last word. There is one once the stream is exhausted."""
        if self._finish is None:
            raise RuntimeError("the answer is not complete")
        return self._finish

    @property
    def position(self) -> tuple[str, int] | None:
        """Where a background response can be resumed: its id, and the number of the last event seen."""
        decoder = self._decoder
        if not isinstance(decoder, ResponsesDecoder) or decoder.response_id is None:
            return None
        return decoder.response_id, decoder.sequence_number or 0

    def __aiter__(self) -> Self:
        return self

    async def __anext__(self) -> list[AnyDelta]:
        try:
            while not self._decoder.done:
                batch = await self._batch()
                if batch:
                    return batch
        except TRANSPORT_ERRORS as error:
            raise self._failed(error) from error
        except asyncio.CancelledError as error:
            if cancelled_from_above():
                raise
            raise self._failed(error) from error
        raise StopAsyncIteration

    def leave(self) -> None:
        """Stop guarding. The connection is the client's to release or to close."""
        self._guard.cancel()

    async def _batch(self) -> list[AnyDelta]:
        """What one network read says. The finish, always the last thing said, is kept apart."""
        self._reading = True
        piece = await self.response.content.readany()
        self._reading = False
        batch: list[AnyDelta] = []
        events = self._splitter.feed(piece) if piece else self._splitter.close()
        for event in events:
            meaning = self._decoder.feed(event)
            self._begun = True
            for said in meaning:
                if isinstance(said, Finish):
                    self._finish = said
                else:
                    batch.append(said)
        if events:
            self._deadline = self._clock.monotonic() + self._silence
        if not piece and not self._decoder.done:
            self._end(batch)
        return batch

    def _end(self, batch: list[AnyDelta]) -> None:
        for said in self._decoder.close():
            if isinstance(said, Finish):
                self._finish = said
            else:
                batch.append(said)

    async def _watch(self) -> None:
        """Break a read that waits past its deadline. A reader who is busy elsewhere is not silence."""
        while True:
            left = self._deadline - self._clock.monotonic()
            if left <= 0 and self._reading:
                break
            await self._clock.sleep(left if left > 0 else self._silence)
        self.response.content.set_exception(SilenceTimeout() if self._begun else StartupTimeout())
        self.response.close()

    def _failed(self, error: BaseException) -> ModelCallFailed:
        if isinstance(error, EventTooLong) or (isinstance(error, Malformed) and self._begun):
            error = Garbled(str(error))
        return ModelCallFailed(classify(error, self._provider))


def cancelled_from_above() -> bool:
    """Whether somebody asked this task to stop. If not, the transport was torn down beneath it."""
    task = asyncio.current_task()
    return task is None or task.cancelling() > 0
