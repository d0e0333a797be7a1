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
# How far beyond a cut it is looked for a secret that lies across it; what the word about a cut takes at most.
_LONGEST_SECRET, _NOTE_BYTES = 4_096, 64
SHOWN_HEADERS = frozenset({"content-type", "accept", "anthropic-version", "anthropic-beta", "openai-beta"})

_KEY = re.compile(
    r"\b(?:sk|pk|rk|pdt|xai|gsk|ghp|gho|glpat|xox[abps])[-_][A-Za-z0-9_\-]{12,}"
    r"|(?:sk|pk|rk|pdt|xai|gsk|ghp|gho|glpat|xox[abps])[-_](?=[A-Za-z0-9_\-]{0,32}\d)[A-Za-z0-9_\-]{12,}"
    r"|(?:AIza|AKIA|ASIA|ya29\.)[A-Za-z0-9_\-]{12,}"
    r"|(?<![A-Za-z0-9_\-])eyJ[A-Za-z0-9_\-]{8,}\.[A-Za-z0-9_\-]{8,}\.[A-Za-z0-9_\-]*"
    r"|(?i:\bbearer\s+)[A-Za-z0-9_\-.=+/]{8,}"
    r"|-----BEGIN [A-Z ]{0,40}PRIVATE KEY-----(?:[A-Za-z0-9+/=\s\\:,]|-(?!----))*+"
    r"(?:-----END [A-Z ]{0,40}PRIVATE KEY-----)?"
)
"""What looks like a key: by how it begins, also in the middle of letters if it has a digit. Private keys may be cut."""


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
        "body": _cut_texts(_parsed(body), sent.secrets),
    }
    return _kept(redacted(msgspec.json.encode(told).decode(), sent.secrets))


def told_response(answer: bytes, secrets: Iterable[str]) -> bytes:
    return _kept(redacted(answer.decode("utf-8", "replace"), secrets))


def bounded(text: str, most: int, secrets: Iterable[str] = ()) -> str:
    """The text, or its beginning and its end around a word about what is missing. No secret is cut in two."""
    if len(text) <= most:
        return text
    head, tail = most * 2 // 3, most // 3
    beginning = redacted(text[: head + _LONGEST_SECRET], secrets)[:head]
    ending = redacted(text[-tail - _LONGEST_SECRET :], secrets)[-tail:]
    return f"{beginning}\n[{len(text) - head - tail} characters left out]\n{ending}"


def _kept(text: str) -> bytes:
    """The text, or as much of its beginning and its end as a body may have."""
    whole = text.encode()
    if len(whole) <= BODY_BYTES:
        return whole
    head, tail = BODY_BYTES * 2 // 3 - _NOTE_BYTES, BODY_BYTES // 3
    note = f"\n[{len(whole) - head - tail} bytes left out]\n".encode()
    return whole[:head].decode("utf-8", "ignore").encode() + note + whole[-tail:].decode("utf-8", "ignore").encode()


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


def _cut_texts(value: Any, secrets: Iterable[str]) -> Any:
    match value:
        case str():
            return bounded(value, TEXT_CHARACTERS, secrets)
        case dict():
            fields: dict[str, Any] = value  # pyright: ignore[reportUnknownVariableType]
            return {name: _cut_texts(each, secrets) for name, each in fields.items()}
        case list():
            items: list[Any] = value  # pyright: ignore[reportUnknownVariableType]
            return [_cut_texts(each, secrets) for each in items]
        case _:
            return value
