"""What people are told about a failed model call: a sentence that names the provider, and a safe detail."""

import json
import re
from typing import Any

import aiohttp
import msgspec
from aiohttp.http_exceptions import HttpProcessingError

from perdure.core.failure import ErrorKind
from perdure.core.text import encodable
from perdure.providers.errors.failures import ApiError
from perdure.providers.errors.signals import is_page, unparsed, unreadable

MAX_DETAIL = 500
# So much is searched for addresses and keys: what they leave out is rarely longer than that.
MAX_SEARCHED = 4 * MAX_DETAIL
SOMEBODY = "The provider"

SENTENCES = {
    ErrorKind.OVERLOADED: "{provider} is temporarily overloaded.",
    ErrorKind.RATE_LIMIT: "{provider} is rate limiting requests.",
    ErrorKind.TIMEOUT: "{provider} is temporarily unavailable.",
    ErrorKind.STARTUP_TIMEOUT: "{provider} did not start to answer in time.",
    ErrorKind.STREAM_SILENCE_TIMEOUT: "{provider} stopped responding in the middle of its answer.",
    ErrorKind.AUTH: "{provider} rejected the credentials. Check the API key and its permissions.",
    ErrorKind.CONFIG: "{provider} does not accept this configuration. Check the model's name and its settings.",
    ErrorKind.CONTEXT_OVERFLOW: "The conversation is too long for this model.",
    ErrorKind.USAGE_LIMIT: "The account with {provider} has reached its usage limit. Check its plan and billing.",
    ErrorKind.MISSING_KEY: "There is no API key for {provider}. Add one in the settings.",
    ErrorKind.PROVIDER_DISABLED: "{provider} is turned off here. Choose another model.",
    ErrorKind.CONTENT_FILTER: "{provider} withheld the answer under its content policy.",
    ErrorKind.HOOK_DENIED: "A hook denied this.",
    ErrorKind.HOOK_DISPATCH_FAILED: "A hook could not be reached.",
    ErrorKind.GENERIC: "The request to {provider} failed.",
}

INTERRUPTED = "The request was interrupted."
BROKEN_STATE = "{provider} lost the internal state of this conversation."
BROKE_OFF = "The answer from {provider} was cut off."
UNREACHABLE = "{provider} cannot be reached. Check its address and the network."
NOT_THE_API = "The server at the {provider} URL is not its API. Check the base URL and any proxy in between."
NOT_STREAMED = "{provider} did not stream its answer although streaming was requested. Use a server that can stream."
NOT_TRUSTED = "The certificate of {provider} is not trusted. Check the address, or set a CA file."
NO_SUCH_ADDRESS = "{provider} does not know this URL or model. Check the base URL and the model's name."
PROXY_REFUSED = "The proxy in front of {provider} requires other credentials. Check the proxy's settings."
SERVER_FAULT = "{provider} had an internal error."
NO_CREDENTIALS = "The credentials for {provider} cannot be used. Check how they are set up."
NOT_HTTP = "What came back is not valid HTTP."
DEADLINE = "The call to {provider} took longer than allowed."

OTHERS = (
    INTERRUPTED,
    BROKEN_STATE,
    BROKE_OFF,
    UNREACHABLE,
    NOT_THE_API,
    NOT_STREAMED,
    NOT_TRUSTED,
    NO_SUCH_ADDRESS,
    PROXY_REFUSED,
    SERVER_FAULT,
    NO_CREDENTIALS,
    DEADLINE,
)

_URL = re.compile(r"\b[a-z][a-z0-9+]{1,20}://\S+", re.IGNORECASE)
_SECRET = re.compile(
    r"\b(?:sk|pk|rk|xai|gsk|key|aiza|akia|asia|ya29|eyj)[-_.]?[\w*.\-]{8,}"
    r"|(?:[spr]k[-_]|xai-|gsk_|aiza|akia|asia|ya29\.|eyj)(?=[\w*.\-]{0,32}\d)[\w*.\-]{8,}"
    r"|(?:gh[opsur]_|github_pat_|glpat-|hf_|r8_|nvapi-|pplx-|xox[abprs]-)(?=[\w\-]{0,32}\d)[\w\-]{8,}"
    r"|(?:[spr]k[-_](?:[a-z]{2,8}-){0,2}|xai-|gsk_|aiza)\w{24,}"
    r"|sk-(?:ant|proj|svcacct|admin|or-v\d)-[\w*.\-]{8,}"
    r"|(?-i:(?:AKIA|ASIA)[A-Z0-9]{16}|(?:[spr]k[-_]|xai-|gsk_)(?=[\w\-]{0,32}[a-z][A-Z])[\w\-]{12,})"
    r"|bearer\s+\S+|[A-Za-z0-9_\-+/]{40,}={0,2}",
    re.IGNORECASE,
)
"""What looks like a key: by how it begins, in the middle of letters if it has a digit, letters of
both cases, or is long; or by its length."""

_GIVEN = re.compile(
    r"((?:api[-_ ]?key|access[-_ ]?key|secret|passw(?:or)?d|auth[-_]?token|access[-_]?token)"
    r"[\"']?\s{0,4}[=:]\s{0,4}[\"']?)"
    r"(?=[^\s\"',;]{0,64}\d)[^\s\"',;]{4,}",
    re.IGNORECASE,
)
"""What is written behind the name of a secret: a key whatever it looks like, if it has a digit."""


def sentence(template: str, provider: str | None) -> str:
    """The template with the provider's name in it."""
    begins = template.startswith("{provider}")
    return template.format(provider=encodable(provider or (SOMEBODY if begins else SOMEBODY.lower())))


def redacted(text: str) -> str:
    """Words fit to be shown: no address, nothing that looks like a key, not too many."""
    if len(text) > MAX_SEARCHED:
        # What the cut goes through may be a key, which half of it does not look like.
        text = " ".join(text[:MAX_SEARCHED].split()[:-1])
    text = _SECRET.sub("[redacted]", _URL.sub("[address]", encodable(text)))
    text = _GIVEN.sub(r"\1[redacted]", text)
    text = " ".join(text.split())
    return text if len(text) <= MAX_DETAIL else text[: MAX_DETAIL - 1] + "…"


def detail(error: BaseException, kind: ErrorKind) -> str | None:
    """What the API itself said. For refused credentials only its structured words, never raw text."""
    match error:
        case ApiError():
            said = _told(error, kind)
        case _:
            said = None if kind is ErrorKind.AUTH else _own_words(error)
    return redacted(said) or None if said else None


def _told(error: ApiError, kind: ErrorKind) -> str | None:
    """What the body says: in an object, or else as it is."""
    page = is_page(error)
    said = None if page else structured_message(error.body)
    if said is not None or kind is ErrorKind.AUTH:
        return said
    plain = error.body.strip()
    if error.text == f"status {error.status}" and plain and not page:
        return plain
    return None if unreadable(error.text) else error.text


_OF_TLS = re.compile(r"^\[SSL[^\]]{0,60}\] |\s?\(_ssl\.c:\d{1,6}\)$")
"""Where in the TLS library an error was raised."""


def _own_words(error: BaseException) -> str:
    """What an error says, without the objects of the library that raised it."""
    match error:
        case aiohttp.ServerDisconnectedError():
            return "The server closed the connection before it had answered."
        case aiohttp.ClientConnectionResetError() | ConnectionResetError() | BrokenPipeError():
            return "The connection was reset."
        case aiohttp.ClientConnectorError():
            return str(error.os_error.strerror or error.os_error)
        case aiohttp.ClientResponseError():
            return NOT_HTTP if unparsed(error) else error.message
        case HttpProcessingError():
            return NOT_HTTP
        case aiohttp.ClientPayloadError() | EOFError():
            return "The connection was closed before the answer was complete."
        case OSError():
            return _OF_TLS.sub("", error.strerror or str(error))
        case _:
            return str(error)


class _Said(msgspec.Struct):
    """An error object in any of the vendors' shapes: flat, or inside an `error`."""

    message: str | None = None
    detail: object = None
    type: str | None = None
    code: str | int | None = None
    status: str | int | None = None
    error: "_Said | str | None" = None


_SHAPES: Any = _Said | list[_Said]


def structured_message(body: str) -> str | None:
    """The message in an error object."""
    said = _said(body)
    if said is None:
        return None
    return said.message or (said.detail if isinstance(said.detail, str) else None)


def structured_code(body: str) -> str:
    """The codes in an error object, such as `overloaded_error`."""
    said = _said(body)
    codes = (said.type, said.code, said.status) if said is not None else ()
    return " ".join(code for code in codes if isinstance(code, str))


def _said(body: str) -> _Said | None:
    if not body or unreadable(body):
        return None
    try:
        # Unlike msgspec, it reads half a surrogate pair; whoever tells of it replaces that.
        said: _Said | list[_Said] = msgspec.convert(json.loads(body), _SHAPES)
    except (ValueError, RecursionError):
        return None
    if isinstance(said, list):
        said = said[0] if said else _Said()
    match said.error:
        case str(message):
            return _Said(message=message)
        case None:
            return said
        case inner:
            return inner
