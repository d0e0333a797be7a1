"""What is told of calls to models: without anything that proves who pays, and cut to a size that can be kept."""

import re
from collections.abc import Iterable, Mapping
from typing import Any
from urllib.parse import urlsplit, urlunsplit

import msgspec

from perdure.observe.calls import Sent

REDACTED = "[redacted]"
# A body is kept up to this many bytes, one text in it up to so many characters: pictures are not worth more.
BODY_BYTES = 256 * 1024
TEXT_CHARACTERS = 20_000
SHOWN_HEADERS = frozenset({"content-type", "accept", "anthropic-version", "anthropic-beta", "openai-beta"})

_KEY = re.compile(
    r"\b(?:sk|pk|rk|pdt|xai|gsk|ghp|gho|glpat|xox[abps])[-_][A-Za-z0-9_\-]{12,}"
    r"|\b(?:AIza|AKIA|ASIA|ya29\.)[A-Za-z0-9_\-]{12,}"
    r"|\beyJ[A-Za-z0-9_\-]{8,}\.[A-Za-z0-9_\-]{8,}\.[A-Za-z0-9_\-]*"
    r"|(?i:\bbearer\s+)[A-Za-z0-9_\-.=+/]{8,}"
    r"|-----BEGIN [A-Z ]*PRIVATE KEY-----.*?-----END [A-Z ]*PRIVATE KEY-----",
    re.DOTALL,
)


def redacted(text: str, secrets: Iterable[str] = ()) -> str:
    """The text without these secrets and without what looks like one."""
    for secret in sorted(_pieces(secrets), key=len, reverse=True):
        text = text.replace(secret, REDACTED).replace(_escaped(secret), REDACTED)
    return _KEY.sub(REDACTED, text)


def told_request(sent: Sent) -> bytes:
    """A request as JSON: where it went, with which headers, and its body."""
    body = sent.body.decode("utf-8", "replace")
    told = {
        "method": sent.method,
        "url": _without_query(sent.url),
        "headers": _told_headers(sent.headers),
        "body": _cut_texts(_parsed(body)),
    }
    text = redacted(msgspec.json.encode(told).decode(), sent.secrets)
    return bounded(text).encode()


def told_response(answer: bytes, secrets: Iterable[str]) -> bytes:
    return bounded(redacted(answer.decode("utf-8", "replace"), secrets)).encode()


def bounded(text: str, most: int = BODY_BYTES) -> str:
    """The text, or its beginning and its end around a word about what is missing."""
    if len(text) <= most:
        return text
    head, tail = most * 2 // 3, most // 3
    return f"{text[:head]}\n[{len(text) - head - tail} characters left out]\n{text[-tail:]}"


def _pieces(secrets: Iterable[str]) -> set[str]:
    """Secrets, and what follows a word such as `Bearer` in them."""
    return {piece for secret in secrets for piece in (secret, *secret.split()) if len(piece) >= 8}


def _escaped(secret: str) -> str:
    return msgspec.json.encode(secret).decode()[1:-1]


def _told_headers(headers: Mapping[str, str]) -> dict[str, str]:
    return {name: value if name.lower() in SHOWN_HEADERS else REDACTED for name, value in headers.items()}


def _without_query(url: str) -> str:
    parts = urlsplit(url)
    return urlunsplit((parts.scheme, parts.netloc.rpartition("@")[2], parts.path, "", ""))


def _parsed(body: str) -> Any:
    try:
        return msgspec.json.decode(body)
    except msgspec.DecodeError:
        return body


def _cut_texts(value: Any) -> Any:
    match value:
        case str():
            return bounded(value, TEXT_CHARACTERS)
        case dict():
            fields: dict[str, Any] = value  # pyright: ignore[reportUnknownVariableType]
            return {name: _cut_texts(each) for name, each in fields.items()}
        case list():
            items: list[Any] = value  # pyright: ignore[reportUnknownVariableType]
            return [_cut_texts(each) for each in items]
        case _:
            return value
