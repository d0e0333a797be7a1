"""Asking one hook over HTTP: signed, within its time, once more where the connection failed."""

import asyncio
import ssl
from collections.abc import Callable
from dataclasses import dataclass

import aiohttp
import msgspec

from perdure.config.hooks import HookOptions
from perdure.core.clock import Clock
from perdure.core.signature import DISPATCH, EVENT, SIGNATURE, TIMESTAMP, signature
from perdure.tools.hooks.speech import ANSWER_BYTES, Answer, Question

_GOOD = range(200, 300)


class HookSilent(Exception):
    """The hook could not be asked, or its answer means nothing. The text says why."""

    def __init__(self, message: str, *, status: int | None = None, attempts: int = 1) -> None:
        super().__init__(message)
        self.status = status
        self.attempts = attempts


@dataclass(frozen=True, slots=True)
class Heard:
    """What a hook answered, and after how many attempts."""

    answer: Answer
    status: int
    attempts: int


class Post:
    """Delivers questions."""

    def __init__(
        self, clock: Clock, proxy: Callable[[str], str | None] = lambda _: None, trusted: ssl.SSLContext | None = None
    ) -> None:
        self._clock = clock
        self._proxy = proxy
        self._trusted = trusted
        self._http: aiohttp.ClientSession | None = None

    async def ask(self, options: HookOptions, secret: str, question: Question) -> Heard:
        body = msgspec.json.encode(question)
        for attempt in (1, 2):
            try:
                async with asyncio.timeout(options.timeout_ms / 1000):
                    return await self._asked(options, secret, question, body, attempt)
            except TimeoutError as error:
                late = f"it did not answer within {options.timeout_ms} ms"
                raise HookSilent(late, attempts=attempt) from error
            except aiohttp.ClientError as error:
                if attempt == 2:
                    raise HookSilent("the connection failed", attempts=attempt) from error
        raise AssertionError

    async def close(self) -> None:
        if self._http is not None:
            await self._http.close()

    async def _asked(self, options: HookOptions, secret: str, question: Question, body: bytes, attempt: int) -> Heard:
        if self._http is None:
            self._http = aiohttp.ClientSession()
        async with self._http.post(
            options.url,
            data=body,
            headers=self._headers(secret, question, body),
            proxy=self._proxy(options.url),
            ssl=self._trusted or True,
            allow_redirects=False,
        ) as response:
            content = bytearray()
            async for piece in response.content.iter_any():
                content += piece
                if len(content) > ANSWER_BYTES:
                    break
            return Heard(_read(response.status, content, attempt), response.status, attempt)

    def _headers(self, secret: str, question: Question, body: bytes) -> dict[str, str]:
        timestamp, dispatch = str(round(self._clock.now().timestamp() * 1000)), str(question.dispatch_id)
        return {
            "Content-Type": "application/json",
            EVENT: question.event.value,
            TIMESTAMP: timestamp,
            DISPATCH: dispatch,
            SIGNATURE: signature(secret, timestamp, dispatch, body),
        }


def _read(status: int, content: bytearray, attempt: int) -> Answer:
    if status not in _GOOD:
        raise HookSilent(f"it answered with HTTP {status}", status=status, attempts=attempt)
    if len(content) > ANSWER_BYTES:
        raise HookSilent(f"its answer is longer than {ANSWER_BYTES} bytes", status=status, attempts=attempt)
    try:
        return msgspec.json.decode(content or b"{}", type=Answer)
    except (msgspec.DecodeError, RecursionError) as error:
        raise HookSilent(f"its answer means nothing: {error}", status=status, attempts=attempt) from error
