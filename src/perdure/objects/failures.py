"""What goes wrong with object storage, each in one sentence that names the thing and the remedy."""

import re
from collections.abc import Mapping
from datetime import UTC, datetime, timedelta
from email.utils import parsedate_to_datetime

from perdure.core.errors import NotFound, Unavailable
from perdure.core.timing import OBJECT_SKEW
from perdure.objects.bucket import Bucket

_CODE = re.compile(rb"<Code>([A-Za-z0-9.]{1,80})</Code>")
_REGION = re.compile(rb"<Region>([a-z0-9-]{1,40})</Region>")

_RIGHTS = {"PUT": "s3:PutObject", "GET": "s3:GetObject", "DELETE": "s3:DeleteObject", "LIST": "s3:ListBucket"}
_DOES = {"PUT": "written", "GET": "read", "DELETE": "removed from", "LIST": "listed"}
_EXPIRED = frozenset(
    {"ExpiredToken", "ExpiredTokenException", "InvalidToken", "TokenRefreshRequired", "RequestExpired"}
)
_KEYS = frozenset({"InvalidAccessKeyId", "SignatureDoesNotMatch", "AuthorizationHeaderMalformed", "InvalidSecurity"})
_CLOCK = frozenset({"RequestTimeTooSkewed", "RequestInTheFuture", "AuthorizationQueryParametersError"})


class StorageAway(Unavailable):
    """The storage does not do what is asked of it. Nothing is lost, and what is to be stored waits in the database."""

    def __init__(self, message: str, *, lasting: bool = False) -> None:
        super().__init__(message)
        self.lasting = lasting
        """Whether it stays like this until somebody does something about it."""


class ObjectLost(NotFound):
    """The storage answers, and has not what was put there."""


def unreachable(bucket: Bucket, error: BaseException) -> StorageAway:
    why = str(error) or type(error).__name__
    return StorageAway(
        f"Object storage at {bucket.host} cannot be reached ({why}). Check PERDURE_S3_URL and the network."
    )


def refusal(
    bucket: Bucket, operation: str, status: int, headers: Mapping[str, str], body: bytes, now: datetime
) -> Exception:
    """What an answer means that is not the one that was asked for."""
    found = _CODE.search(body)
    code = found[1].decode() if found else ""
    if status == 404 and code != "NoSuchBucket" and operation == "GET":
        return ObjectLost(
            f"{_capital(bucket)} does not have what was stored there. Restore the object from its backup."
        )
    if status in (400, 401, 403, 404) or code:
        sentence = _sentence(bucket, operation, code or str(status), headers, body, now)
        if sentence is not None:
            return StorageAway(sentence, lasting=True)
    return StorageAway(f"{_capital(bucket)} answers {status}{f' ({code})' if code else ''}. It is asked again.")


def _sentence(
    bucket: Bucket, operation: str, code: str, headers: Mapping[str, str], body: bytes, now: datetime
) -> str | None:
    skew = _skew(headers, now)
    if code in _CLOCK or (code in ("AccessDenied", "403", *_KEYS) and skew is not None and abs(skew) > OBJECT_SKEW):
        return _clock(bucket, skew)
    if code == "NoSuchBucket" or (code == "404" and operation != "GET"):
        return f"There is no bucket {bucket.name!r} at {bucket.host}. Create it, or correct PERDURE_S3_URL."
    if code in _EXPIRED:
        return f"The credentials for {bucket} have expired. Set new ones in PERDURE_S3_KEY and restart."
    if code in ("PermanentRedirect", "IllegalLocationConstraintException", "TemporaryRedirect"):
        region = headers.get("x-amz-bucket-region") or (_REGION.search(body) or [b"", b"another one"])[1]
        where = region if isinstance(region, str) else region.decode()
        return f"{_capital(bucket)} is in another region than {bucket.region}. Set PERDURE_S3_REGION to {where}."
    if code in _KEYS:
        return f"The credentials for {bucket} are not accepted ({code}). Correct PERDURE_S3_KEY or PERDURE_S3_REGION."
    if code in ("AccessDenied", "AllAccessDisabled", "403", "401", "MethodNotAllowed"):
        right = _RIGHTS[operation]
        return f"{_capital(bucket)} may not be {_DOES[operation]} with these credentials ({code}). Allow {right}."
    return None


def _clock(bucket: Bucket, skew: timedelta | None) -> str:
    by = "" if skew is None else f", by {abs(round(skew.total_seconds()))} s"
    return f"The clock of this machine and that of {bucket.host} are apart{by}. Set it by NTP."


def _skew(headers: Mapping[str, str], now: datetime) -> timedelta | None:
    try:
        return now - parsedate_to_datetime(headers["date"]).astimezone(UTC)
    except (KeyError, ValueError):
        return None


def _capital(bucket: Bucket) -> str:
    text = str(bucket)
    return text[0].upper() + text[1:]
