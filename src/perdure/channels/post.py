"""What is posted to a channel, and where."""

from dataclasses import dataclass
from datetime import datetime


@dataclass(frozen=True, slots=True)
class Out:
    """Where something is posted, and under what name: the same however often it is tried."""

    name: str
    url: str
    credential: str
    thread: str
    again: bool
    """Whether it was tried before, and may be there."""
    since: datetime


@dataclass(frozen=True, slots=True)
class Ask:
    """A call that waits for a decision."""

    tool: str
    args: str
    mark: str


@dataclass(frozen=True, slots=True)
class Told:
    """What is said."""

    text: str
    asks: tuple[Ask, ...] = ()
