"""The table of the classification, row by row: what matches, what it means. The first match wins."""

import asyncio
from collections.abc import Callable
from dataclasses import dataclass

import aiohttp

from perdure.core.failure import ErrorKind
from perdure.providers.errors import failures, words
from perdure.providers.errors.patterns import (
    BROKEN_CHAIN,
    BROKEN_OFF,
    BUDGET,
    CONFIG,
    CONTEXT,
    CREDENTIALS,
    FORBIDDEN,
    INTERRUPTED,
    MONEY,
    OVERLOADED,
    RATE,
    RETRYABLE_RESETS,
    SERVER_FAULT,
    TRANSPORT,
    UNREACHABLE,
    UNRESOLVED,
    UNTRUSTED,
    WITHHELD,
)
from perdure.providers.errors.signals import Signals, no_http, unparsed


@dataclass(frozen=True, slots=True)
class Row:
    """What a row matches, in words and as a test, and what that means."""

    says: str
    matches: Callable[[Signals], bool]
    kind: ErrorKind
    retryable: bool = False
    template: str | None = None
    chain_broken: bool = False


def _is(*types: type[BaseException]) -> Callable[[Signals], bool]:
    return lambda seen: isinstance(seen.error, types)


def _foreign(seen: Signals) -> bool:
    return isinstance(seen.error, failures.Malformed) or no_http(seen.error)


def _configured_wrong(seen: Signals) -> bool:
    return _unresolved(seen) or bool(CONTEXT.search(seen.everything) or CONFIG.search(seen.everything))


def _unresolved(seen: Signals) -> bool:
    return seen.status not in (401, 403, 407, 429) and bool(UNRESOLVED.search(seen.everything))


def _withheld(seen: Signals) -> bool:
    return isinstance(seen.error, failures.Filtered) or bool(WITHHELD.search(seen.body))


def _interrupted(seen: Signals) -> bool:
    return bool(INTERRUPTED.search(seen.text))


def _broken_chain(seen: Signals) -> bool:
    return bool(BROKEN_CHAIN.search(seen.everything))


def _broken_off(seen: Signals) -> bool:
    ended = isinstance(seen.error, failures.StreamEnded | failures.Garbled)
    return ended or (seen.status is None and bool(BROKEN_OFF.search(seen.text)))


def _overloaded(seen: Signals) -> bool:
    return seen.status == 529 or (seen.repeatable and bool(OVERLOADED.search(seen.everything)))


def _usage_limit(seen: Signals) -> bool:
    if BUDGET.search(seen.everything):
        return True
    return seen.status == 402 or (seen.status != 429 and bool(MONEY.search(seen.everything)))


def _proxy_refused(seen: Signals) -> bool:
    return seen.status == 407


def _unauthorized(seen: Signals) -> bool:
    return seen.status == 401 or bool(CREDENTIALS.search(seen.everything))


def _forbidden(seen: Signals) -> bool:
    return (seen.status == 403 or bool(FORBIDDEN.search(seen.everything))) and not _configured_wrong(seen)


def _rate_limited(seen: Signals) -> bool:
    said = seen.status == 429 or (seen.repeatable and bool(RATE.search(seen.text)))
    return said and not _configured_wrong(seen)


def _untrusted(seen: Signals) -> bool:
    return bool(UNTRUSTED.search(seen.text))


def _bad_reset(seen: Signals) -> bool:
    return seen.reset_code is not None and seen.reset_code not in RETRYABLE_RESETS


def _reset(seen: Signals) -> bool:
    return seen.repeatable and seen.reset_code in RETRYABLE_RESETS


def _unreachable(seen: Signals) -> bool:
    return seen.status is None and bool(UNREACHABLE.search(seen.text)) and not _configured_wrong(seen)


def _transport(seen: Signals) -> bool:
    if _configured_wrong(seen):
        return False
    lost = seen.status in _AWAY or _cancelled_from_below(seen) or _connection_lost(seen.error)
    return lost or (seen.repeatable and bool(TRANSPORT.search(seen.everything)))


def _connection_lost(error: BaseException) -> bool:
    """Whether it is a connection that was open and is not any more, in whatever words the system says that."""
    opened = isinstance(error, aiohttp.ClientOSError) and not isinstance(error, aiohttp.ClientConnectorError)
    return opened or isinstance(error, ConnectionError | EOFError)


def _cancelled_from_below(seen: Signals) -> bool:
    """A cancellation that nobody asked our own task for is a reset of the transport."""
    return isinstance(seen.error, asyncio.CancelledError) and not _asked_to_stop()


def _asked_to_stop() -> bool:
    try:
        task = asyncio.current_task()
    except RuntimeError:
        return True
    return task is None or task.cancelling() > 0


def _context(seen: Signals) -> bool:
    return seen.status == 413 or bool(CONTEXT.search(seen.everything))


def _config(seen: Signals) -> bool:
    return bool(CONFIG.search(seen.everything))


def _no_such_address(seen: Signals) -> bool:
    return seen.status in (404, 405, 301, 302, 307, 308)


def _server_fault(seen: Signals) -> bool:
    return seen.status == 500 or (seen.repeatable and bool(SERVER_FAULT.search(seen.text)))


_AWAY = frozenset({408, 502, 503, 504, 520, 521, 522, 523, 524})

ROWS = (
    Row("our start-up timeout", _is(failures.StartupTimeout), ErrorKind.STARTUP_TIMEOUT, retryable=True),
    Row("our silence timeout", _is(failures.SilenceTimeout), ErrorKind.STREAM_SILENCE_TIMEOUT, retryable=True),
    Row("our deadline for the whole call", _is(failures.DeadlinePassed), ErrorKind.TIMEOUT, template=words.DEADLINE),
    Row("the answer was withheld", _withheld, ErrorKind.CONTENT_FILTER),
    Row("no key was given", _is(failures.KeyMissing), ErrorKind.MISSING_KEY),
    Row("the provider is disabled here", _is(failures.ProviderDisabled), ErrorKind.PROVIDER_DISABLED),
    Row("an answer in one piece", _is(failures.NotStreamed), ErrorKind.CONFIG, template=words.NOT_STREAMED),
    Row("not this API: HTML, another format, no HTTP at all", _foreign, ErrorKind.CONFIG, template=words.NOT_THE_API),
    Row("nothing can be signed", _is(failures.CredentialsUnusable), ErrorKind.CONFIG, template=words.NO_CREDENTIALS),
    Row("chat, request or operation interrupted", _interrupted, ErrorKind.GENERIC, template=words.INTERRUPTED),
    Row(
        "broken Responses continuity",
        _broken_chain,
        ErrorKind.GENERIC,
        template=words.BROKEN_STATE,
        chain_broken=True,
    ),
    Row(
        "the stream ended before its terminal event, or became unreadable",
        _broken_off,
        ErrorKind.TIMEOUT,
        retryable=True,
        template=words.BROKE_OFF,
    ),
    Row("a head of an answer that is no HTTP", lambda seen: unparsed(seen.error), ErrorKind.TIMEOUT, retryable=True),
    Row("529, or overloaded", _overloaded, ErrorKind.OVERLOADED, retryable=True),
    Row("a spent budget; 402; quota or billing words unless 429", _usage_limit, ErrorKind.USAGE_LIMIT),
    Row("credentials that cannot be resolved", _unresolved, ErrorKind.CONFIG, template=words.NO_CREDENTIALS),
    Row("407, from a proxy", _proxy_refused, ErrorKind.CONFIG, template=words.PROXY_REFUSED),
    Row("401, or refused credentials", _unauthorized, ErrorKind.AUTH),
    Row("403 or forbidden, without a configuration pattern", _forbidden, ErrorKind.AUTH),
    Row(
        "429 or rate-limit words in its own text, without a configuration pattern",
        _rate_limited,
        ErrorKind.RATE_LIMIT,
        retryable=True,
    ),
    Row("a certificate that is not trusted", _untrusted, ErrorKind.CONFIG, template=words.NOT_TRUSTED),
    Row("an HTTP/2 reset that repeating does not mend", _bad_reset, ErrorKind.GENERIC),
    Row("any other HTTP/2 reset", _reset, ErrorKind.TIMEOUT, retryable=True),
    Row("the host cannot be reached", _unreachable, ErrorKind.TIMEOUT, retryable=True, template=words.UNREACHABLE),
    Row(
        "408, 502, 503, 504, 520 to 524, or transport words, without a configuration pattern",
        _transport,
        ErrorKind.TIMEOUT,
        retryable=True,
    ),
    Row("413, or the prompt is too long", _context, ErrorKind.CONTEXT_OVERFLOW),
    Row("an unknown model, or a malformed configuration", _config, ErrorKind.CONFIG),
    Row("404, 405, or a redirection", _no_such_address, ErrorKind.CONFIG, template=words.NO_SUCH_ADDRESS),
    Row(
        "500 or internal error in its own text",
        _server_fault,
        ErrorKind.GENERIC,
        retryable=True,
        template=words.SERVER_FAULT,
    ),
    Row("our own cancellation", _is(asyncio.CancelledError), ErrorKind.GENERIC, template=words.INTERRUPTED),
    Row("anything else", lambda _: True, ErrorKind.GENERIC),
)
