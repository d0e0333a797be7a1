"""Posts to a channel, and where they go."""

from dataclasses import dataclass
from datetime import datetime


@dataclass(frozen=True, slots=True)
class Destination:
    """Where something is posted, and under what name: the same however often it is tried."""

    name: str
    url: str
    credential: str
    thread: str
    again: bool
    """Whether it was tried before, and may be there."""
    since: datetime
    now: datetime


@dataclass(frozen=True, slots=True)
class PendingCall:
    """A call that waits for a decision."""

    tool: str
    args: str
    mark: str


@dataclass(frozen=True, slots=True)
class Post:
    """What is said."""

    text: str
    asks: tuple[PendingCall, ...] = ()


def shortened(text: str, longest: int) -> str:
    """What a channel takes of a text. The rest is in the chat."""
    return text if len(text) <= longest else f"{text[:longest]} […]\n\nThe rest is in Perdure."


def remaining(post: Post, most: int) -> str:
    """What is said of the calls that are too many for one message."""
    left = len(post.asks) - most
    return f"\n\n{left} more calls wait: decide about them in Perdure." if left > 0 else ""
