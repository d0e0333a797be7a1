"""Ids for spans that several replicas must call the same."""

from collections.abc import Generator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from hashlib import blake2b


@dataclass(frozen=True, slots=True)
class Named:
    """The ids of a span that any replica would give it."""

    trace_id: int
    span_id: int


_named: ContextVar[Named | None] = ContextVar("named", default=None)


def named() -> Named | None:
    """The ids that the span being started shall have, if any are given."""
    return _named.get()


@contextmanager
def called(ids: Named) -> Generator[None]:
    """The next span started inside gets these ids; its trace is its parent's, if it has one."""
    token = _named.set(ids)
    try:
        yield
    finally:
        _named.reset(token)


def identity(size: int, *what: object) -> int:
    """An id of so many bytes that everybody makes of the same words."""
    return int.from_bytes(blake2b("/".join(map(str, what)).encode(), digest_size=size).digest()) or 1
