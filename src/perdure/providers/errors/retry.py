"""How long to wait before another attempt, and what clients are told about it."""

from datetime import datetime, timedelta

from perdure.core.failure import ChatError, RetryState
from perdure.providers.errors.classification import ClassifiedError

RETRY_FIRST = timedelta(seconds=1)
RETRY_LONGEST = timedelta(seconds=60)
RETRY_HINT_LONGEST = timedelta(minutes=10)


def retry_delay(attempt: int, hint: timedelta | None = None) -> timedelta:
    """The wait after failed attempt `attempt`, counted from 1: doubling, and never before the provider's hint."""
    doubled = RETRY_FIRST * 2 ** min(max(attempt, 1) - 1, 16)
    return max(min(doubled, RETRY_LONGEST), hint or timedelta())


def may_retry(error: ClassifiedError) -> bool:
    """Whether to try again by ourselves. A hint beyond the cap is for a person to wait out."""
    return error.retryable and (error.retry_after is None or error.retry_after <= RETRY_HINT_LONGEST)


def retry_state(error: ClassifiedError, *, attempt: int, now: datetime) -> RetryState:
    """The payload stored as `retry_state` and sent as `retry`."""
    delay = retry_delay(attempt, error.retry_after)
    return RetryState(
        attempt=attempt,
        delay_ms=round(delay.total_seconds() * 1000),
        error=error.message,
        kind=error.kind,
        retrying_at=now + delay,
        provider=error.provider,
        status_code=error.status_code,
    )


def final_error(error: ClassifiedError) -> ChatError:
    """The payload stored as `last_error` and sent as `error`. It says when to come back, if that is far off."""
    told = error.chat_error()
    if error.retry_after is None or error.retry_after <= RETRY_HINT_LONGEST:
        return told
    minutes = -(-round(error.retry_after.total_seconds()) // 60)
    again = f" Try again in {minutes} minutes." if minutes < 120 else f" Try again in {round(minutes / 60)} hours."
    return ChatError(
        message=told.message + again,
        kind=told.kind,
        detail=told.detail,
        provider=told.provider,
        retryable=told.retryable,
        status_code=told.status_code,
    )
