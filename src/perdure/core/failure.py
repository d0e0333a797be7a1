"""What went wrong with a turn, as one object: in the log, on the wire and in the database."""

from datetime import datetime
from enum import StrEnum

from msgspec import Struct


class ErrorKind(StrEnum):
    OVERLOADED = "overloaded"
    RATE_LIMIT = "rate_limit"
    TIMEOUT = "timeout"
    STARTUP_TIMEOUT = "startup_timeout"
    STREAM_SILENCE_TIMEOUT = "stream_silence_timeout"
    AUTH = "auth"
    CONFIG = "config"
    CONTEXT_OVERFLOW = "context_overflow"
    USAGE_LIMIT = "usage_limit"
    MISSING_KEY = "missing_key"
    PROVIDER_DISABLED = "provider_disabled"
    CONTENT_FILTER = "content_filter"
    HOOK_DENIED = "hook_denied"
    HOOK_DISPATCH_FAILED = "hook_dispatch_failed"
    GENERIC = "generic"


class ChatError(Struct, frozen=True, omit_defaults=True):
    """Why a chat stopped, in words for a person."""

    message: str
    kind: ErrorKind = ErrorKind.GENERIC
    detail: str | None = None
    provider: str | None = None
    retryable: bool = False
    status_code: int | None = None


class RetryState(Struct, frozen=True, omit_defaults=True):
    """That a turn is about to try again: what clients need for "Retrying in 4 s"."""

    attempt: int
    delay_ms: int
    error: str
    kind: ErrorKind
    retrying_at: datetime
    provider: str | None = None
    status_code: int | None = None
