"""Waiting longer each time, never before the provider's hint, never for hours by ourselves."""

from datetime import UTC, datetime, timedelta

import pytest

from perdure.core.failure import ErrorKind, RetryState
from perdure.providers.errors.classification import classify
from perdure.providers.errors.failures import ApiError
from perdure.providers.errors.retry import final_error, may_retry, retry_delay, retry_state
from perdure.providers.errors.signals import retry_after

NOW = datetime(2026, 11, 15, 12, 0, tzinfo=UTC)


def busy(hint: str | None) -> ApiError:
    return ApiError("overloaded", status=529, headers={"retry-after": hint} if hint else {})


@pytest.mark.parametrize(
    ("attempt", "seconds"), [(0, 1), (1, 1), (2, 2), (3, 4), (6, 32), (7, 60), (25, 60), (10_000, 60)]
)
def test_the_wait_doubles_up_to_a_minute(attempt: int, seconds: int) -> None:
    assert retry_delay(attempt) == timedelta(seconds=seconds)


def test_the_hint_outweighs_a_shorter_wait_only() -> None:
    assert retry_delay(1, timedelta(seconds=30)) == timedelta(seconds=30)
    assert retry_delay(7, timedelta(seconds=30)) == timedelta(seconds=60)


def test_a_date_is_a_hint_too() -> None:
    assert retry_after({"Retry-After": "Sun, 15 Nov 2026 12:00:30 GMT"}, now=NOW) == timedelta(seconds=30)
    assert retry_after({"Retry-After": "Sun, 15 Nov 2026 11:00:00 GMT"}, now=NOW) == timedelta()


@pytest.mark.parametrize("said", ["soon", "-5", "nan", "1e400", "Mon, 01 Jan 2029 00:00:00 +99999999999999999999"])
def test_a_hint_that_means_nothing_is_none(said: str) -> None:
    assert retry_after({"Retry-After": said}, now=NOW) is None


def test_google_puts_its_hint_into_the_body() -> None:
    assert retry_after({}, '{"details": [{"retrydelay": "37s"}]}') == timedelta(seconds=37)


def test_what_clients_are_told() -> None:
    told = retry_state(classify(busy("4"), "Anthropic"), attempt=2, now=NOW)
    assert told == RetryState(
        attempt=2,
        delay_ms=4000,
        error="Anthropic is temporarily overloaded.",
        kind=ErrorKind.OVERLOADED,
        retrying_at=NOW + timedelta(seconds=4),
        provider="Anthropic",
        status_code=529,
    )


def test_a_hint_beyond_ten_minutes_is_for_a_person() -> None:
    near, far = classify(busy("600")), classify(busy("2700"))
    assert may_retry(near)
    assert not may_retry(far)
    assert final_error(near).message == "The provider is temporarily overloaded."
    assert final_error(far).message == "The provider is temporarily overloaded. Try again in 45 minutes."
    assert final_error(classify(busy("36000"))).message.endswith("Try again in 10 hours.")
