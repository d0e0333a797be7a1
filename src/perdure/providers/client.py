"""The one HTTP client for models: streams, guards, cancels. It never retries."""

import asyncio
import contextlib
import logging
import ssl
from collections.abc import AsyncGenerator, Awaitable, Callable, Coroutine, Mapping, Sequence
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from dataclasses import dataclass
from datetime import timedelta
from typing import Any, Self

import aiohttp
from yarl import URL

from perdure.core.deltas import Accumulator, Finish
from perdure.core.failure import ErrorKind
from perdure.core.headers import wrong_headers, wrong_value
from perdure.core.message import AnyPart
from perdure.core.tasks import BackgroundTasks
from perdure.core.timing import STARTUP_TIMEOUT, AlarmClock
from perdure.observe.calls import Watcher
from perdure.providers.connections import USUAL_HEADERS, Connections, target_of
from perdure.providers.credentials import Outgoing
from perdure.providers.dialects.dialect import Background, Encoded
from perdure.providers.errors.classification import STREAM_TYPES, ModelCallFailed, classify, refusal
from perdure.providers.errors.failures import ApiError, CredentialsUnusable, Failure, Malformed, StartupTimeout
from perdure.providers.observed import ObservedCall
from perdure.providers.pacing import Pacing
from perdure.providers.proxy import Proxies
from perdure.providers.redaction import redacted, secrets_in
from perdure.providers.request import ModelRequest, ModelSettings
from perdure.providers.route import Route
from perdure.providers.stream import TRANSPORT_ERRORS, Body, ModelStream, StreamedResponse, cancelled_from_above

CONNECTION_KEPT = timedelta(seconds=60)
CONNECTION_DRAIN = timedelta(seconds=1)
ERROR_BODY = timedelta(seconds=5)
RESPONSE_GIVEN_UP = timedelta(seconds=5)
HEADERS = {"content-type": "application/json", "accept": "text/event-stream"}
ERROR_BODY_BYTES = 64 * 1024
FETCHED_BYTES = 16 * 1024 * 1024

_log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Completion:
    """A whole answer, for calls nobody watches."""

    parts: tuple[AnyPart, ...]
    finish: Finish


class ProviderClient:
    """Reaches models over connections that are kept and used again.

    Streams that are reached directly go over sockets of our own; the general client does the rest: proxies, and what is
    fetched whole.
    """

    def __init__(
        self,
        clock: AlarmClock,
        *,
        proxies: Proxies | None = None,
        ca_file: str | None = None,
        watchers: Sequence[Watcher] = (),
    ) -> None:
        self._clock = clock
        self._pacing = Pacing(clock)
        self._watchers = watchers
        self._proxies = proxies or Proxies()
        self._ca_file = ca_file
        self._connections = Connections(kept=CONNECTION_KEPT, ca_file=ca_file)
        self._opened_session: aiohttp.ClientSession | None = None
        self._draining = BackgroundTasks(_log)

    async def __aenter__(self) -> Self:
        tls = ssl.create_default_context(cafile=self._ca_file) if self._ca_file else True
        self._opened_session = aiohttp.ClientSession(
            connector=aiohttp.TCPConnector(limit=0, ssl=tls, keepalive_timeout=CONNECTION_KEPT.total_seconds()),
            timeout=aiohttp.ClientTimeout(total=None),
            cookie_jar=aiohttp.DummyCookieJar(),
            headers=USUAL_HEADERS,
        )
        return self

    async def __aexit__(self, *_: object) -> None:
        self._draining.cancel()
        self._connections.close()
        await self._session.close()

    def stream(self, route: Route, request: ModelRequest) -> AbstractAsyncContextManager[ModelStream]:
        """An answer as it comes. Leaving the block early closes its connection at once.

        Whatever goes wrong with the provider is raised as a ProviderFailure.
        """
        return self._streamed(route, lambda: self._asked(route, request))

    def resume(
        self, route: Route, response_id: str, settings: ModelSettings, *, after: int | None = None
    ) -> AbstractAsyncContextManager[ModelStream]:
        """A background response again: from its beginning, or from behind the event numbered `after`."""
        again = _background(route).listening(response_id, after)
        return self._streamed(route, lambda: self._opened(route, again, settings))

    async def give_up(self, route: Route, response_id: str) -> None:
        """Tell the provider that nobody waits for a background response any more. Its answer does not matter."""
        async with asyncio.timeout(RESPONSE_GIVEN_UP.total_seconds()):
            url, headers, body, _ = await self._signed(route, _background(route).giving_up(response_id))
            proxy = self._proxies.for_url(url)
            async with self._session.post(_sent(url), data=body, headers=headers, proxy=proxy, allow_redirects=False):
                pass

    async def complete(self, route: Route, request: ModelRequest) -> Completion:
        """The whole answer at once."""
        accumulator = Accumulator()
        async with self.stream(route, request) as stream:
            async for batch in stream:
                for delta in batch:
                    accumulator.add(delta)
            return Completion(accumulator.parts(), stream.finish)

    async def fetch(self, route: Route, encoded: Encoded) -> bytes:
        """What a provider has at a path, whole, such as its list of models. Raises a ProviderFailure."""
        try:
            async with asyncio.timeout(STARTUP_TIMEOUT.total_seconds()):
                return await self._fetched(route, encoded)
        except TRANSPORT_ERRORS as error:
            raise ModelCallFailed(classify(error, route.provider)) from error

    async def _fetched(self, route: Route, encoded: Encoded) -> bytes:
        url, headers, _, proof = await self._signed(route, encoded)
        proxy = self._proxies.for_url(url)
        async with self._session.get(_sent(url), headers=headers, proxy=proxy, allow_redirects=False) as response:
            if response.status != 200:
                said = redacted(await _beginning(response.content), secrets_in(proof))
                raise refusal(response.status, response.headers, said)
            whole = bytearray()
            async for chunk in response.content.iter_any():
                whole += chunk
                if len(whole) > FETCHED_BYTES:
                    raise Malformed("a list longer than any")
            return bytes(whole)

    @property
    def _session(self) -> aiohttp.ClientSession:
        if self._opened_session is None:
            raise RuntimeError("the client is not open")
        return self._opened_session

    @asynccontextmanager
    async def _streamed(
        self, route: Route, open_stream: Callable[[], Awaitable[ModelStream]]
    ) -> AsyncGenerator[ModelStream]:
        try:
            stream = await open_stream()
        except TRANSPORT_ERRORS as error:
            raise ModelCallFailed(classify(error, route.provider)) from error
        except asyncio.CancelledError as error:
            if cancelled_from_above():
                raise
            raise ModelCallFailed(classify(error, route.provider)) from error
        try:
            yield stream
        finally:
            self._leave(stream)

    async def _asked(self, route: Route, request: ModelRequest) -> ModelStream:
        """The answer's stream. A provider that forgot the chain is told everything, in another request."""
        encoded = route.encode(request)
        try:
            return await self._opened(route, encoded, request.settings, messages=len(request.messages))
        except ApiError as error:
            if not encoded.chained or not classify(error).chain_broken:
                raise
        whole = route.encode_whole(request)
        return await self._opened(route, whole, request.settings, messages=len(request.messages))

    async def _opened(
        self, route: Route, encoded: Encoded, settings: ModelSettings, *, messages: int = 0
    ) -> ModelStream:
        await self._pacing.turn(route)
        limit, began_at = settings.startup_timeout.total_seconds(), self._clock.monotonic()
        call = ObservedCall(self._watchers, route, messages)
        try:
            response = await self._within(limit, self._answer(route, encoded, call))
        except BaseException as error:
            call.refused(error)
            if isinstance(error, ApiError) and classify(error).kind is ErrorKind.RATE_LIMIT:
                self._pacing.limited(route, began_at)
            raise
        self._pacing.answered(route, began_at)
        return ModelStream(
            response,
            route=route,
            encoded=encoded,
            call=call,
            clock=self._clock,
            first_deadline=began_at + limit,
            silence=settings.silence_timeout.total_seconds(),
        )

    async def _answer(self, route: Route, encoded: Encoded, call: ObservedCall) -> StreamedResponse:
        """The response, once its head says that a stream follows."""
        url, headers, body, proof = await self._signed(route, encoded, call)
        method = "GET" if body is None else "POST"
        proxy, target = self._proxies.for_url(url), target_of(url)
        response: StreamedResponse
        if proxy is None and target is not None:
            response = await self._connections.request(method, target, headers, body)
        else:
            response = await self._session.request(
                method, _sent(url), data=body, headers=headers, proxy=proxy, allow_redirects=False
            )
        try:
            if response.status != 200 or response.content_type not in STREAM_TYPES:
                said = redacted(await _beginning(response.content), secrets_in(proof))
                raise refusal(response.status, response.headers, said)
        except BaseException:
            response.close()
            raise
        return response

    async def _signed(
        self, route: Route, encoded: Encoded, call: ObservedCall | None = None
    ) -> tuple[str, dict[str, str], bytes | None, Mapping[str, str]]:
        url = route.endpoint.url(encoded.path)
        headers = {**HEADERS, **encoded.headers, **route.endpoint.headers}
        outgoing = Outgoing("GET" if encoded.body is None else "POST", url, headers, encoded.body or b"")
        if wrong := wrong_headers(route.endpoint.headers):
            raise Failure(f"malformed configuration: {wrong}")
        proof = await route.credentials.authorize(outgoing)
        if any(map(wrong_value, proof.values())):
            raise CredentialsUnusable("the key holds characters that no header can carry")
        headers.update(proof)
        if call is not None:
            await call.sent(outgoing.method, url, encoded, proof)
        return url, headers, encoded.body, proof

    async def _within(self, seconds: float, work: Coroutine[Any, Any, StreamedResponse]) -> StreamedResponse:
        """The response, unless the time is up first. Cancelling this cancels the work."""
        task = asyncio.current_task()
        assert task is not None
        late, stops = False, task.cancelling()

        def time_is_up() -> None:
            nonlocal late
            late = True
            task.cancel()

        timer = self._clock.call_later(seconds, time_is_up)
        try:
            return await work
        except asyncio.CancelledError:
            if late and task.uncancel() <= stops:
                raise StartupTimeout from None
            raise
        finally:
            timer.cancel()

    def _leave(self, stream: ModelStream) -> None:
        """Give the connection back if the answer is complete, else close it now."""
        stream.leave()
        if not stream.done:
            stream.response.close()
        elif not stream.response.content.at_eof():
            self._draining.start(self._drain(stream.response), "reading an answer to its end")

    async def _drain(self, response: StreamedResponse) -> None:
        """Read what little follows the last event, so that the connection can be used again."""
        try:
            async with asyncio.timeout(CONNECTION_DRAIN.total_seconds()):
                while await response.content.readany():
                    pass
        except (TimeoutError, aiohttp.ClientError, OSError):
            pass
        finally:
            response.close()


def _sent(url: str) -> URL:
    """The URL as it was signed: nothing in it may be written in another way."""
    return URL(url, encoded=True)


def _background(route: Route) -> Background:
    """How the route's answers outlive a connection. Only those that do are asked for."""
    if route.dialect.background is None:
        raise RuntimeError(f"{route.dialect.name} has no answers that outlive a connection")
    return route.dialect.background


async def _beginning(body: Body) -> bytes:
    """An error's body, in however many pieces it comes: as much as is looked at, and whatever came in time."""
    read = bytearray()
    with contextlib.suppress(TimeoutError, aiohttp.ClientError):
        async with asyncio.timeout(ERROR_BODY.total_seconds()):
            while len(read) <= ERROR_BODY_BYTES and (piece := await body.readany()):
                read += piece
    return bytes(read[: ERROR_BODY_BYTES + 1])
