"""Who a line of the log is about: ids that travel with a task and everything it starts."""

from collections.abc import Generator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from types import MappingProxyType
from typing import TypedDict, Unpack

NOBODY: Mapping[str, str] = MappingProxyType({})
_about: ContextVar[Mapping[str, str]] = ContextVar("about", default=NOBODY)


class Ids(TypedDict, total=False):
    """What a line can be about."""

    replica: object
    chat: object
    turn: object
    attempt: object
    request: object
    organisation: object
    purpose: object


def about() -> Mapping[str, str]:
    """The ids that hold here and now."""
    return _about.get()


@contextmanager
def concerning(**ids: Unpack[Ids]) -> Generator[None]:
    """Everything logged inside is about these."""
    token = _about.set({**_about.get(), **{name: str(value) for name, value in ids.items()}})
    try:
        yield
    finally:
        _about.reset(token)
