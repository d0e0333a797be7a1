"""The one table from errors to statuses, and the shape in which every error travels."""

import logging
from collections.abc import Mapping
from datetime import timedelta

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
