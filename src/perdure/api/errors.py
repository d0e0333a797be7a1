"""The one table from errors to statuses, the shape in which every error travels, and the page that people see."""

import logging
from base64 import b64encode
from collections.abc import Mapping
from datetime import timedelta
from hashlib import sha256
from html import escape

import msgspec

from perdure.api.http import Answer
from perdure.core.errors import (
    BuildFailed,
    Conflict,
    EditedMessageNotUser,
    HookDenied,
    HookDispatchFailed,
    InvalidInput,
    KeyReused,
    Misconfigured,
    NotAllowed,
    NotFound,
    NotRoot,
    PerdureError,
    ProviderFailure,
    QueueFull,
    RateLimited,
    Refused,
    TooLarge,
    ToolResultDuplicate,
    ToolResultInvalidJson,
    ToolResultMissing,
    ToolResultUnexpected,
    TransitionNotAllowed,
    Unauthenticated,
    Unavailable,
    Validation,
    WorkspaceRefused,
)
from perdure.core.failure import ErrorKind
from perdure.core.timing import QUEUE_FULL_RETRY, UNAVAILABLE_RETRY

_log = logging.getLogger(__name__)

STATUSES: Mapping[type[Exception], int] = {
    InvalidInput: 400,
    EditedMessageNotUser: 400,
    ToolResultDuplicate: 400,
    ToolResultInvalidJson: 400,
    ToolResultMissing: 400,
    ToolResultUnexpected: 400,
    NotRoot: 400,
    Misconfigured: 400,
    Unauthenticated: 401,
    NotAllowed: 403,
    HookDenied: 403,
    NotFound: 404,
    Refused: 409,
    TooLarge: 413,
    KeyReused: 422,
    QueueFull: 429,
    RateLimited: 429,
    ProviderFailure: 502,
    HookDispatchFailed: 502,
    Unavailable: 503,
}

_REFUSED = STATUSES[Refused]
# What the program in a workspace says of a path or of a request, by its code; everything else is a matter of state.
_WORKSPACE_STATUSES = {"not_found": 404, "invalid": 400}
_ARCHIVED = "The chat is archived. Unarchive it first."


class Problem(msgspec.Struct, frozen=True, omit_defaults=True):
    """What went wrong, in words for a person."""

    message: str
    detail: str | None = None
    kind: ErrorKind | None = None
    validations: tuple[Validation, ...] = ()


def answer_of(error: Exception) -> Answer:
    """The answer that tells the caller what went wrong. A bug says nothing but that it is one, and is logged."""
    status = next((STATUSES[kind] for kind in type(error).__mro__ if kind in STATUSES), None)
    if status is None:
        _log.error("a request failed", exc_info=error)
        return Answer.json(500, Problem("Something went wrong on our side. The server's log says what."))
    if isinstance(error, WorkspaceRefused):
        status = _WORKSPACE_STATUSES.get(error.code, status)
    if isinstance(error, TransitionNotAllowed) and error.state.startswith("X") and status == _REFUSED:
        return Answer.json(400, Problem(_ARCHIVED))
    return Answer.json(status, _problem(error), *_retry_after(error))


def _problem(error: Exception) -> Problem:
    match error:
        case InvalidInput(validations=validations) | Conflict(validations=validations):
            return Problem(str(error), validations=tuple(validations))
        case BuildFailed(log_tail=log_tail):
            return Problem(str(error), log_tail or None)
        case ProviderFailure(error=failure):
            return Problem(failure.message, failure.detail, failure.kind)
        case HookDenied():
            return Problem(str(error), kind=ErrorKind.HOOK_DENIED)
        case HookDispatchFailed():
            return Problem(str(error), kind=ErrorKind.HOOK_DISPATCH_FAILED)
        case PerdureError():
            return Problem(str(error))
        case _:
            return Problem(str(error) or type(error).__name__)


def _retry_after(error: Exception) -> tuple[tuple[str, str], ...]:
    match error:
        case RateLimited(retry_after=seconds):
            return (("retry-after", str(seconds)),)
        case QueueFull():
            return _come_again(QUEUE_FULL_RETRY)
        case Unavailable():
            return _come_again(UNAVAILABLE_RETRY)
        case _:
            return ()


def _come_again(after: timedelta) -> tuple[tuple[str, str], ...]:
    return (("retry-after", f"{after.total_seconds():.0f}"),)


_STYLE = """
body { margin: 0; min-height: 100vh; display: grid; place-items: center; font: 15px/1.5 Inter, system-ui, sans-serif;
  background: #f5f4f0; color: #1e1d1a; }
main { max-width: 400px; margin: 16px; padding: 32px; background: #fff; border: 1px solid #e3e0d8;
  border-radius: 16px; }
svg { color: #0b6b62; }
h1 { margin: 12px 0 8px; font-size: 20px; }
p { margin: 0 0 20px; }
a { display: inline-block; padding: 10px 16px; border-radius: 8px; background: #0b6b62; color: #fff;
  text-decoration: none; }
@media (prefers-color-scheme: dark) {
  body { background: #121315; color: #e9e8e4; }
  main { background: #1f2125; border-color: #2a2c31; }
  svg { color: #5cc9ba; }
  a { background: #5cc9ba; color: #08201d; }
}
"""
# Nothing of the page may load or run anything; it has words, one link, and this one style.
_STYLE_HASH = b64encode(sha256(_STYLE.encode()).digest()).decode()
_POLICY = (
    f"default-src 'none'; style-src 'sha256-{_STYLE_HASH}'; frame-ancestors 'none'; base-uri 'none'; form-action 'none'"
)
_HEADERS = (("content-type", "text/html; charset=utf-8"), ("content-security-policy", _POLICY))
_PAGE = """<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<meta name="color-scheme" content="light dark">
<title>Sign-in failed · Perdure</title>
<style>{style}</style>
<main>
<svg width="36" height="36" viewBox="5 0 26 30" fill="none" aria-hidden="true"><path
d="M11 27V9.5A8 8 0 1 1 19 17.5h-3" stroke="currentColor" stroke-width="3.4" stroke-linecap="round"/><circle
cx="19" cy="9.5" r="1.9" fill="currentColor"/></svg>
<h1>Sign-in failed</h1>
<p>{message}</p>
<a href="/login">Go to sign-in</a>
</main>
</html>
"""


def wants_page(accept: str) -> bool:
    """Whether whoever asks is a browser that shows what it gets."""
    return "text/html" in accept


def page_of(answer: Answer) -> Answer:
    """An error's answer, for people."""
    problem = msgspec.json.decode(answer.body, type=Problem)
    others = tuple((name, value) for name, value in answer.headers if name != "content-type")
    return Answer(
        answer.status, _PAGE.format(message=escape(problem.message), style=_STYLE).encode(), (*_HEADERS, *others)
    )
