"""What of a request's and an answer's headers crosses between a browser and what is served in a workspace."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from urllib.parse import urlsplit

from perdure.access.credentials import SESSION_PREFIX, TOKEN_PREFIX

Headers = list[tuple[str, str]]

OURS = "perdure_"
"""How the names of this server's cookies begin."""
_HOP = frozenset(
    {"connection", "keep-alive", "proxy-authenticate", "proxy-authorization", "proxy-connection", "te", "trailer"}
    | {"transfer-encoding", "upgrade", "expect", "http2-settings"}
)
_SAID_BY_PROXIES = ("x-forwarded-", "x-real-ip", "forwarded", "via", "cf-", "x-csrf-token")
_SOCKET = "sec-websocket-"
# What would hold beyond the preview, or is this server's to say.
_KEPT_BACK = frozenset(
    {"strict-transport-security", "alt-svc", "x-frame-options", "public-key-pins", "nel", "report-to"}
)
# On the server's own origin an answer says what it is, and nothing about that origin.
_PLAIN = frozenset(
    {"content-type", "content-length", "content-encoding", "content-language", "content-disposition", "content-range"}
    | {"accept-ranges", "etag", "last-modified", "cache-control", "expires", "vary", "date", "age", "location"}
    | {"content-security-policy", "retry-after", "allow", "x-content-type-options"}
)
SANDBOX = "sandbox allow-scripts allow-forms allow-modals allow-popups allow-downloads; frame-ancestors 'self'"
_LOCAL = frozenset({"localhost", "127.0.0.1", "0.0.0.0", "::1", "::"})  # noqa: S104
_FRAMING = "frame-ancestors"


@dataclass(frozen=True, slots=True)
class Shown:
    """Where a preview is seen, and what it is inside."""

    port: int
    origin: str
    """As the browser has it: `null` for a document in a sandbox."""
    base: str = ""
    """The path below which it is seen; empty on an origin of its own."""
    page: str = ""

    @property
    def isolated(self) -> bool:
        return not self.base

    @property
    def inside(self) -> str:
        return f"localhost:{self.port}"


def sent(headers: Headers, shown: Shown) -> Headers:
    """What of a request reaches the workspace: nothing that proves who somebody is to this server."""
    return [("Host", shown.inside), *_sent(headers, shown)]


def _sent(headers: Headers, shown: Shown) -> Iterator[tuple[str, str]]:
    dropped = _HOP | {"host"} | _named(value for name, value in headers if name == "connection")
    for name, value in headers:
        if name in dropped or name.startswith((*_SAID_BY_PROXIES, _SOCKET)):
            continue
        if kept := _kept(name, value, shown):
            yield name, kept


def _kept(name: str, value: str, shown: Shown) -> str:
    """What is left of a header that says who somebody is, or where they are."""
    match name:
        case "cookie":
            return _foreign(value) if shown.isolated else ""
        case "authorization":
            return value if shown.isolated and not _ours(value) else ""
        case "origin":
            return f"http://{shown.inside}" if value == shown.origin else value
        case "referer":
            here = shown.isolated and value.startswith(f"{shown.origin}/")
            return value.replace(shown.origin, f"http://{shown.inside}", 1) if here else ""
        case _:
            return value


def returned(headers: Headers, shown: Shown) -> Headers:
    """What of an answer reaches the browser, and what is said beside it."""
    dropped = _HOP | _named(value for name, value in headers if name == "connection")
    kept = [pair for pair in headers if pair[0] not in dropped]
    return list(_isolated(kept, shown)) if shown.isolated else list(_sandboxed(kept, shown))


def _isolated(headers: Headers, shown: Shown) -> Iterator[tuple[str, str]]:
    for name, value in headers:
        match name:
            case "set-cookie":
                if not value.lstrip().lower().startswith(OURS):
                    yield name, _host_only(value)
            case "location":
                yield name, moved(value, shown)
            case "content-security-policy":
                # Who may frame it is said below; two sayings would both hold.
                if rest := _unframed(value):
                    yield name, rest
            case _ if name not in _KEPT_BACK:
                yield name, value
            case _:
                continue
    yield "content-security-policy", f"frame-ancestors 'self' {shown.page}".strip()
    yield from _ALWAYS


def _sandboxed(headers: Headers, shown: Shown) -> Iterator[tuple[str, str]]:
    for name, value in headers:
        if name in _PLAIN:
            yield name, moved(value, shown) if name == "location" else value
    yield "content-security-policy", SANDBOX
    yield "referrer-policy", "no-referrer"
    # To a document without an origin everything is foreign, also its own files.
    yield "access-control-allow-origin", "*"
    yield from _ALWAYS


_ALWAYS = (("x-accel-buffering", "no"), ("x-robots-tag", "noindex"))


def moved(location: str, shown: Shown) -> str:
    """Where an answer leads, as the browser has to be told it."""
    try:
        parts = urlsplit(location)
        here = parts.hostname in _LOCAL and (parts.port or 80) == shown.port
    except ValueError:
        return location
    if parts.netloc and not here:
        return location
    if not parts.netloc and not location.startswith("/"):
        return location
    rest = parts._replace(scheme="", netloc="").geturl() or "/"
    return f"{shown.base}/{rest.lstrip('/')}"


def _unframed(policy: str) -> str:
    pieces = (piece.strip() for piece in policy.split(";"))
    return "; ".join(piece for piece in pieces if piece and not piece.lower().startswith(_FRAMING))


def _named(values: Iterable[str]) -> frozenset[str]:
    """The headers that a connection says are its own."""
    return frozenset(word.strip().lower() for value in values for word in value.split(","))


def _foreign(cookies: str) -> str:
    pairs = (pair.strip() for pair in cookies.split(";"))
    return "; ".join(pair for pair in pairs if pair and not pair.lower().startswith(OURS))


def _ours(authorization: str) -> bool:
    word = authorization.partition(" ")[2].strip()
    return word.startswith((SESSION_PREFIX, TOKEN_PREFIX))


def _host_only(cookie: str) -> str:
    """A cookie that no other host of the same domain is sent."""
    first, *rest = cookie.split(";")
    return ";".join([first, *(piece for piece in rest if piece.strip().partition("=")[0].strip().lower() != "domain")])
