"""Asking one hook over HTTP: signed, within its time, once more where the connection failed."""

import asyncio
from dataclasses import dataclass

import aiohttp
import msgspec

from perdure.config.hooks import HookOptions
from perdure.core.signature import DISPATCH, EVENT, SIGNATURE, TIMESTAMP, signature
from perdure.core.timing import Clock
from perdure.tools.hooks.messages import ANSWER_BYTES, HookRequest, HookResponse
from perdure.tools.network import Network

_GOOD = range(200, 300)


class DeliveryFailed(Exception):
    """The hook could not be asked, or its answer means nothing. The text says why."""

    def __init__(self, message: str, *, status: int | None = None, attempts: int = 1) -> None:
        super().__init__(message)
        self.status = status
        self.attempts = attempts


@dataclass(frozen=True, slots=True)
class Delivery:
    """What a hook answered, and after how many attempts."""

    response: HookResponse
    status: int
    attempts: int


class HookClient:
    """Delivers requests."""

    def __init__(self, clock: Clock, network: Network | None = None) -> None:
        self._clock = clock
        self._network = network or Network()
        self._http: aiohttp.ClientSession | None = None

    async def ask(self, options: HookOptions, secret: str, request: HookRequest) -> Delivery:
        body = msgspec.json.encode(request)
        for attempt in (1, 2):
            try:
                async with asyncio.timeout(options.timeout_ms / 1000):
                    return await self._asked(options, secret, request, body, attempt)
            except TimeoutError as error:
                late = f"it did not answer within {options.timeout_ms} ms"
                raise DeliveryFailed(late, attempts=attempt) from error
            # An address that was stored when less was checked may be none: that is a ValueError.
            except (aiohttp.ClientError, ValueError) as error:
                if attempt == 2:
                    raise DeliveryFailed("the connection failed", attempts=attempt) from error
        raise AssertionError

    async def close(self) -> None:
        if self._http is not None:
            await self._http.close()

    async def _asked(
        self, options: HookOptions, secret: str, request: HookRequest, body: bytes, attempt: int
    ) -> Delivery:
        if self._http is None:
            # An answer that comes once too often would be taken for what is said about the next call.
            self._http = aiohttp.ClientSession(connector=aiohttp.TCPConnector(force_close=True))
        async with self._http.post(
            options.url,
            data=body,
            headers=self._headers(secret, request, body),
            proxy=self._network.proxy(options.url),
            ssl=self._network.trusted or True,
            allow_redirects=False,
        ) as response:
            content = bytearray()
            async for piece in response.content.iter_any():
                content += piece
                if len(content) > ANSWER_BYTES:
                    break
            return Delivery(_read(response.status, content, attempt), response.status, attempt)

    def _headers(self, secret: str, request: HookRequest, body: bytes) -> dict[str, str]:
        timestamp, dispatch = str(round(self._clock.now().timestamp() * 1000)), str(request.dispatch_id)
        return {
            "Content-Type": "application/json",
            EVENT: request.event.value,
            TIMESTAMP: timestamp,
            DISPATCH: dispatch,
            SIGNATURE: signature(secret, timestamp, dispatch, body),
        }


def _read(status: int, content: bytearray, attempt: int) -> HookResponse:
    if status not in _GOOD:
        raise DeliveryFailed(f"it answered with HTTP {status}", status=status, attempts=attempt)
    if len(content) > ANSWER_BYTES:
        raise DeliveryFailed(f"its answer is longer than {ANSWER_BYTES} bytes", status=status, attempts=attempt)
    try:
        return msgspec.json.decode(content or b"{}", type=HookResponse)
    except (msgspec.DecodeError, RecursionError) as error:
        raise DeliveryFailed(f"its answer is not valid: {error}", status=status, attempts=attempt) from error
