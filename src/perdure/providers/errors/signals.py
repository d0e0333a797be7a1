"""What an error tells about itself: status, words, body, and when to come back."""

import asyncio
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from email.utils import parsedate_to_datetime

import aiohttp
from aiohttp.http_exceptions import HttpProcessingError

from perdure.providers.errors.failures import ApiError

# No hint of a provider reaches further.
RETRY_HINT_BELIEVED = timedelta(days=31)
_GOOGLE_DELAY = re.compile(r'"retrydelay"\s*:\s*"([\d.]+)s"')


def retry_after(headers: Mapping[str, str], body: str = "", *, now: datetime | None = None) -> timedelta | None:
    """The provider's hint: `retry-after-ms`, then `Retry-After` as seconds or a date, then Google's own field."""
    given = {key.lower(): value.strip() for key, value in headers.items()}
    found = _seconds(given.get("retry-after-ms"), unit=timedelta(milliseconds=1))
    if found is None:
        found = _seconds(given.get("retry-after"), unit=timedelta(seconds=1))
    if found is None:
        found = _until(given.get("retry-after"), now or datetime.now(UTC))
    if found is None and (delay := _GOOGLE_DELAY.search(body)):
        found = _seconds(delay.group(1), unit=timedelta(seconds=1))
    return found


def _seconds(text: str | None, *, unit: timedelta) -> timedelta | None:
    try:
        amount = float(text or "")
    except ValueError:
        return None
    if not 0 <= amount <= RETRY_HINT_BELIEVED / unit:
        return None
    return amount * unit


def _until(text: str | None, now: datetime) -> timedelta | None:
    try:
        then = parsedate_to_datetime(text or "")
    except (ValueError, TypeError, OverflowError):
        return None
    then = then if then.tzinfo else then.replace(tzinfo=UTC)
    return min(max(then - now, timedelta()), RETRY_HINT_BELIEVED)


MAX_BODY = 64 * 1024
LOOKED_AT = 6 * 1024
"""Of a text, so much of its beginning is matched, and a third of that of its end: what matters is said there."""
CAUSES = 4

_STATED = re.compile(r"(?:status(?:[ _]code)?|http(?:/[\d.]+)?)[\s:=]*(\d{3})\b", re.IGNORECASE)
_ALONE = re.compile(r"(?<![\w:./#-])(401|403|408|429|500|502|503|504|529)(?![\w:./-]*\d)\b")
_STREAM_ID = re.compile(r"stream(?:[ _]?id)?[\s:=#]*\d+", re.IGNORECASE)
_RESET = re.compile(r"rst_stream|stream error|stream (?:was )?reset|http/2", re.IGNORECASE)
_RESET_CODE = re.compile(
    r"\b(?:no_error|protocol_error|internal_error|flow_control_error|settings_timeout|stream_closed|frame_size_error|"
    r"refused_stream|cancel|compression_error|connect_error|enhance_your_calm|inadequate_security|http_1_1_required)\b",
    re.IGNORECASE,
)
RESET_REACH = 200
"""So far before its code a reset is named."""

_ELEMENTS = (
    "a|b|i|p|br|hr|em|div|img|nav|pre|svg|html|head|body|title|meta|link|base|style|script|noscript|template|center|"
    "span|font|strong|small|main|header|footer|section|article|form|label|input|button|iframe|frameset|table|ul|ol|dl|"
    "h[1-6]"
)
_PAGE = re.compile(rf"[\s\ufeff\u200b\0]*+<(?:!doctype|!--|!\[|\?xml|(?:{_ELEMENTS})(?:[\s/>]|$))", re.IGNORECASE)

_PROVIDERS = (
    ("openrouter", "OpenRouter"),
    ("bedrock", "Amazon Bedrock"),
    ("azure", "Azure OpenAI"),
    ("vertex", "Vertex AI"),
    ("anthropic", "Anthropic"),
    ("claude", "Anthropic"),
    ("openai", "OpenAI"),
    ("gemini", "Google"),
    ("google", "Google"),
    ("ollama", "Ollama"),
)


@dataclass(frozen=True, slots=True)
class Signals:
    """The evidence. `text` is the error's own, `body` what the response held; both lower-cased."""

    error: BaseException
    status: int | None = None
    text: str = ""
    body: str = ""
    headers: Mapping[str, str] = field(default_factory=dict[str, str])

    @property
    def everything(self) -> str:
        return f"{self.text}\n{self.body}"

    @property
    def repeatable(self) -> bool:
        """Whether words alone may say that repeating helps: a request that was refused as wrong stays wrong."""
        return self.status is None or self.status >= 500 or self.status in (408, 425, 429)

    @property
    def provider(self) -> str | None:
        """The provider that the words give away."""
        return next((name for word, name in _PROVIDERS if word in self.everything), None)

    @property
    def reset_code(self) -> str | None:
        """The code of an HTTP/2 reset, if that is what the text reports."""
        codes = _RESET_CODE.finditer(self.text)
        return next((code[0] for code in codes if _RESET.search(self.text, *_before(code))), None)


def _before(code: re.Match[str]) -> tuple[int, int]:
    return max(0, code.start() - RESET_REACH), code.start()


def signals(error: BaseException) -> Signals:
    match error:
        case ApiError():
            body = "" if is_page(error) else looked_at(error.body)
            text = "" if unreadable(error.text) else looked_at(error.text)
            return Signals(error, error.status or status_in(text), text, body, error.headers)
        case aiohttp.ClientPayloadError():
            # The numbers that it holds count bytes.
            return Signals(error, text="payload is not completed")
        case _ if unparsed(error):
            return Signals(error)
        case aiohttp.ClientResponseError():
            headers = {key.lower(): value for key, value in (error.headers or {}).items()}
            return Signals(error, error.status or None, looked_at(error.message), headers=headers)
        case asyncio.CancelledError():
            return Signals(error, text="cancelled")
        case aiohttp.ServerDisconnectedError():
            # What it was given may be half a head: neither its status nor its words mean anything.
            return Signals(error, text="server disconnected")
        case OSError():
            # The only number it holds besides its code is a port.
            return Signals(error, text=looked_at(_chain(error)))
        case _:
            text = looked_at(_chain(error))
            return Signals(error, status_in(text), text)


def unparsed(error: BaseException) -> bool:
    """Whether the head of an answer could not be read. The client library words that as an answer with status 400."""
    return _head_error(error) is not None


def _head_error(error: BaseException) -> HttpProcessingError | None:
    cause = error.__cause__ if isinstance(error, aiohttp.ClientResponseError) else error
    return cause if isinstance(cause, HttpProcessingError) else None


def no_http(error: BaseException) -> bool:
    """Whether not even the first line was of HTTP: another protocol is spoken there."""
    return "Bad status line" in str(_head_error(error))


def status_in(text: str) -> int | None:
    """A status that the text names: stated as one, or a well-known code alone. Never a port, never a stream id."""
    text = _STREAM_ID.sub(" ", text)
    found = _STATED.search(text) or _ALONE.search(text)
    return int(found.group(1)) if found else None


def looked_at(text: str) -> str:
    """The part of a text that is matched, in lower case."""
    if len(text) > LOOKED_AT:
        text = f"{text[: LOOKED_AT - LOOKED_AT // 3]}\n{text[-LOOKED_AT // 3 :]}"
    return text.lower()


def is_page(error: ApiError) -> bool:
    """Whether the body of an answer is for people, by what it says it is or by how it begins; or a flood."""
    kind = next((value for name, value in error.headers.items() if name.lower() == "content-type"), "")
    return kind.lower().lstrip().startswith(("text/html", "application/xhtml")) or unreadable(error.body)


def unreadable(body: str) -> bool:
    """A page for people or a flood is neither a signal nor a detail."""
    return len(body) > MAX_BODY or _PAGE.match(body) is not None


def _chain(error: BaseException) -> str:
    """The error's text with its type, and what caused it: transports often say little themselves."""
    words: list[str] = []
    current: BaseException | None = error
    while current is not None and len(words) < CAUSES:
        words.append(f"{type(current).__name__}: {str(current)[:LOOKED_AT]}")
        current = current.__cause__
    return "; ".join(words)
