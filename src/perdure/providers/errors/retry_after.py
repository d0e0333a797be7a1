"""When a provider says to come back, in any of the ways they say it."""

import re
from collections.abc import Mapping
from datetime import UTC, datetime, timedelta
from email.utils import parsedate_to_datetime

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
